"""Does a decoder read the brain, or only recite text? Works on anybody's prediction files, without torch."""
