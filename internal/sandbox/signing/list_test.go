package signing_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// list returns the count and the names of a listing.
func (c client) list(query string) (float64, string) {
	c.t.Helper()
	body := c.get("/api/packages?" + query).ok()
	var names []string
	for _, one := range body["results"].([]any) {
		name, _ := one.(object)["name"].(string)
		names = append(names, name)
	}
	return body["count"].(float64), strings.Join(names, " ")
}

func TestPackageList_Filtered(t *testing.T) {
	c := start(t)
	signed := []object{signerRole("a", "grace@example.org")}
	for _, p := range []object{
		{"name": "draft"}, {"name": "sent", "status": "SENT", "roles": signed, "due": "2090-01-01T00:00:00Z"}, {"name": "template", "type": "template", "visibility": "SENDER"},
		{"name": "trashed"}, {"name": "declined", "status": "SENT", "description": "Car loan"},
	} {
		c.manage("POST", "clock", object{"advance": "1h"})
		path := c.create(p)
		switch p["name"] {
		case "trashed":
			c.put(path, object{"trashed": true}).empty()
		case "declined":
			c.put(path, object{"status": "DECLINED", "messages": []object{{"content": "no"}}}).empty()
		}
	}
	for query, want := range map[string]string{
		"": "3 declined sent draft", "query=SENT": "1 sent", "query=sent": "", "query=DRAFT": "2 declined draft", "query=drafts": "2 declined draft",
		"query=inbox": "2 declined sent", "query=trashed": "1 trashed", "query=DECLINED": "1 declined", "query=COMPLETED": "0 ",
		"type=TEMPLATE": "1 template", "type=template": "1 template", "type=TEMPLATE&visibility=SENDER": "1 template", "type=TEMPLATE&visibility=ACCOUNT": "0 ",
		"predefined=sent": "1 sent", "predefined=completed": "0 ", "predefined=expiringSoon": "0 ",
		"search=LOAN": "1 declined", "search=grace": "1 sent", "search=Lovelace": "1 sent", "search=rac": "1 sent", "search=car+loan&searchtype=exact": "1 declined",
		"search=car+loan&searchtype=exactname": "0 ", "search=SENT&searchtype=exactname": "1 sent", "search=": "3 declined sent draft",
		"sort=name&dir=asc": "3 declined draft sent", "sort=name&dir=desc": "3 sent draft declined", "dir=asc": "3 draft sent declined",
		"sort=due&dir=desc&query=SENT": "1 sent", "sort=status&dir=asc": "3 declined draft sent", "sort=updated&dir=asc": "3 draft sent declined",
		"from=1&to=1": "3 declined", "from=2&to=3": "3 sent draft", "from=3": "3 draft", "from=4&to=9": "3 ", "from=0&to=-2": "3 declined sent draft",
		"from=2&to=1": "3 sent draft", "from=-5&to=1": "3 declined",
		"ownerEmail=SANDBOX@sandbox.example": "3 declined sent draft", "ownerEmail=other@example.org": "0 ",
	} {
		if want == "" {
			c.get("/api/packages?"+query).refused(http.StatusBadRequest, "error.validation.payload.invalid")
			continue
		}
		count, names := c.list(query)
		same(t, query, fmt.Sprint(count, " ", names), want)
	}
	for _, query := range []string{"from=a", "to=1.5", "sort=size", "predefined=mine", "type=FOLDER", "startDate=yesterday", "lastUpdatedEndDate=2030-13-01Z"} {
		c.get("/api/packages?"+query).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	}
	body := c.get("/api/packages?fields=id&from=1&to=1").ok()
	same(t, "elements", len(at(t, body, "results.0").(object)), 1)
	same(t, "nothing", c.get("/api/packages?query=EXPIRED").text, `{"count":0,"results":[]}`)
}

// Both bounds are included, in every form of date that clients send.
func TestPackageList_ByLastUpdate(t *testing.T) {
	c := start(t)
	c.manage("POST", "packages", object{"count": 3, "updatedFrom": "2030-01-01T00:00:00Z", "updatedTo": "2030-01-03T00:00:00Z"})
	for query, want := range map[string]float64{
		"": 3, "lastUpdatedStartDate=2030-01-02Z": 2, "lastUpdatedEndDate=2030-01-02Z": 2, "startDate=2030-01-02T00:00:00Z&endDate=2030-01-02T00:00:00Z": 1,
		"startDate=" + url.QueryEscape("2030-01-02T00:00:00.000+00:00"): 2, "startDate=2030-01-02T00:00:01Z": 1, "endDate=2030-01-01T23:59:59.999Z": 1,
		"startDate=2030-01-02T01:30:00+0130": 2, "startDate=2030-01-02T01:30:00%2B01:30": 2, "startDate=2030-01-02T01:30:01%2B0130": 1,
		"startDate=2031-01-01Z": 0, "lastUpdatedStartDate=2030-01-01Z&lastUpdatedEndDate=2030-01-03Z": 3,
	} {
		count, _ := c.list(query)
		same(t, query, count, want)
	}
}

func TestPackageList_PageSize(t *testing.T) {
	c := start(t)
	c.manage("POST", "packages", object{"count": 250})
	size := func(query string) int { return len(c.get("/api/packages?" + query).ok()["results"].([]any)) }
	same(t, "without a window", size(""), 10)
	same(t, "inclusive", size("from=1&to=99"), 99)
	same(t, "more than may be", size("from=1&to=250"), 100)
	same(t, "no limit", size("from=1&to=0"), 100)
	same(t, "the last", size("from=201&to=300"), 50)
	c.manage("PUT", "account", object{"pageBounds": "exclusive", "maxPage": 7})
	same(t, "exclusive", size("from=1&to=5"), 4)
	same(t, "exclusive, one", size("from=5&to=5"), 0)
	same(t, "a smaller page", size("from=1&to=99"), 7)
	c.manage("PUT", "account", object{"maxPage": 500})
	same(t, "a larger page", size("from=1&to=251"), 250)
	c.manage("PUT", "account", object{})
	same(t, "nothing changed", size("from=1&to=5"), 4)
	for _, body := range []object{{"pageBounds": "open"}, {"maxPage": 0}, {"maxPage": "a"}, {"colour": "red"}} {
		if a := c.put("/_manage/account", body); a.status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", body, a.status, a.text)
		}
	}
	c.manage("POST", "reset", nil)
	c.manage("POST", "packages", object{"count": 12})
	same(t, "after a reset", size("from=1&to=12"), 12)
}

func TestManagement_CreatesManyPackages(t *testing.T) {
	c := start(t)
	made := c.manage("POST", "packages", object{"count": 3, "status": "COMPLETED", "signer": "Bob@Sandbox.example", "owner": "alice@sandbox"}).ok()
	ids := made["ids"].([]any)
	p := c.get("/api/packages/" + ids[0].(string)).ok()
	for member, want := range map[string]any{
		"status": "COMPLETED", "name": "Package 1", "data.countersign.owner": "alice@sandbox", "roles.0.signers.0.email": "bob@sandbox.example",
		"completed": p["updated"],
	} {
		same(t, member, at(t, p, member), want)
	}
	same(t, "the last", c.get("/api/packages/" + ids[1].(string)).ok()["name"], "Package 3")
	// Mass-produced packages are like others, and changing one does not change another.
	c.put("/api/packages/"+ids[0].(string), object{"status": "ARCHIVED"}).empty()
	same(t, "archived", c.get("/api/packages?query=ARCHIVED").ok()["count"], 1)
	same(t, "the others", c.get("/api/packages?query=COMPLETED").ok()["count"], 2)
	for _, body := range []object{
		{"count": 0}, {"count": 200001}, {}, {"count": 1, "status": "GONE"}, {"count": 1, "updatedTo": "2030-01-01T00:00:00Z"},
		{"count": 1, "updatedFrom": "2030-01-02T00:00:00Z", "updatedTo": "2030-01-01T00:00:00Z"}, {"count": 1, "size": 3},
	} {
		if a := c.post("/_manage/packages", body); a.status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", body, a.status, a.text)
		}
	}
}
