package events

// Hinted is what a hint does on this node.
func (h *Hub) Hinted(topic string) { h.hinted(topic) }
