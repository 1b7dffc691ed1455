"""The report of a group: page and plots."""
