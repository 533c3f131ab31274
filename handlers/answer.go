package handlers

import (
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
)

// answer writes v as JSON, the members of a map in order.
func answer(c *gin.Context, status int, v any) error { return answerAs(c, status, jsonType, v) }

// answerAs writes v as the kind of JSON that mediaType names.
func answerAs(c *gin.Context, status int, mediaType string, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.Data(status, mediaType, body)
	return nil
}
