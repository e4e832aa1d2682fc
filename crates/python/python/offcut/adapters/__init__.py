"""Offcut inside the frameworks that agents are written with.

One module each, imported only when asked for: `langchain`, `openai_agents`, `pydantic_ai`, `anthropic`, `openai`,
`mcp`, `smolagents`, `llama_index`. Each cuts what tools return, and gives the model the tool that notices name.
"""
