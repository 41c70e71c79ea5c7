"""Narratives (ds002345): fMRI of 345 people who listened to spoken stories."""
