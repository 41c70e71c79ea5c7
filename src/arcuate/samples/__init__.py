"""The samples table, text identity and near-duplicates, the subject × text graph."""
