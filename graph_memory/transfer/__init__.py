"""Import and export, our own lines and the formats of other stores."""
