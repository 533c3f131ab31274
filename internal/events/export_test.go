package events

// Hinted makes this node read the topic, as a hint does.
func (h *Hub) Hinted(topic string) { h.hinted(topic) }
