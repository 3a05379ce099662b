"""How far annotators agree: alpha, kappa, spans, gamma."""
