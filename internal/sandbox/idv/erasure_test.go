package idv_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func idOf(path string) string { return strings.TrimPrefix(path, "/api/transactions/") }

func TestErasure_GracePeriod(t *testing.T) {
	c := start(t)
	path, page := c.create(nil)
	kept, _ := c.create(nil)
	const unknown = "3f333df6-90a4-4fda-8dd3-9485d27cee36"
	mark := func(days int, ids ...string) object {
		t.Helper()
		return c.post("/api/transactions/mark-for-erasure", object{"grace_period": days, "transaction_ids": ids}).ok()
	}
	unmark := func(ids ...string) object {
		t.Helper()
		return c.post("/api/transaction/unmark-for-erasure", object{"transaction_ids": ids}).ok()
	}
	c.play(page, "good", "good")
	marked := mark(2, idOf(path), unknown, idOf(kept))
	for i, want := range []string{"Transaction Erase Request - Accepted", "Transaction Erase Request - ID field error", "Transaction Erase Request - Accepted"} {
		item := marked["transactions"].([]any)[i].(object)
		same(t, "event", item["marking_event"], want)
		if item["message"] == "" || item["unmarking_event"] != nil {
			t.Error(item)
		}
	}
	mark(3, idOf(path)) // the last mark counts
	c.advance("47h59m59s")
	same(t, "unmarked", at(t, unmark(idOf(kept)), "transactions.0.unmarking_event"), "Transaction Recovery - Accepted")
	c.advance("24h")
	same(t, "status", c.get(path).status, http.StatusOK)
	c.advance("1s")
	for _, gone := range []string{path, path + "/verification", path + "/document/AuditTrailDocument/pdf", path + "/detailed-verification-report"} {
		c.get(gone).refused(http.StatusNotFound)
	}
	same(t, "kept", c.get(kept).status, http.StatusOK)
	same(t, "at once", at(t, mark(0, idOf(kept)), "transactions.0.marking_event"), "Transaction Erase Request - Accepted")
	c.get(kept).refused(http.StatusNotFound)
	recovered := unmark(idOf(kept), "x")
	same(t, "gone", at(t, recovered, "transactions.0.unmarking_event"), "Transaction Recovery - Transaction Not Found")
	same(t, "no id", at(t, recovered, "transactions.1.unmarking_event"), "Transaction Recovery - ID field error")
}

func TestErasure_Refused(t *testing.T) {
	c := start(t)
	path, _ := c.create(nil)
	ids := []string{idOf(path)}
	mark, unmark := "/api/transaction/mark-for-erasure", "/api/transactions/unmark-for-erasure"
	c.post(mark, object{"transaction_ids": ids}).refused(http.StatusBadRequest, "grace_period")
	c.post(mark, object{"grace_period": -1, "transaction_ids": ids}).refused(http.StatusBadRequest, "grace_period")
	c.post(mark, object{"grace_period": 1.5, "transaction_ids": ids}).refused(http.StatusBadRequest, "grace_period")
	c.post(mark, object{"grace_period": 0, "transaction_ids": []string{}}).refused(http.StatusBadRequest, "transaction_ids")
	c.post(mark, object{"grace_period": 0, "transaction_ids": slices.Repeat(ids, 501)}).refused(http.StatusBadRequest, "transaction_ids")
	c.post(unmark, object{}).refused(http.StatusBadRequest, "transaction_ids")
	same(t, "status", c.get(path).status, http.StatusOK)
}
