"""One small plug-in for every group of Goldmark: copy the module that you need."""
