"""Candidate texts from a model: any OpenAI-compatible server, or a transformers checkpoint on this machine."""
