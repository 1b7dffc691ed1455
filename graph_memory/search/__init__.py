"""Search, listing, and retrieval within a token budget.

- `search`: search by question in one of three profiles; `candidates` for the default profile.
- `retrieval`: search, walk and budget for a conversation; `budget` is its part without I/O.
- `session`, `session_store`: the memories that a conversation has loaded, and their storage.
- `listing`: pages of memories. `facts`: facts and entities for clients of Graphiti.
- `other_names`: the names of entities that a review made one.
- `feedback`, `lessons`: what was useful, and the weights that a group has learned from it.
"""
