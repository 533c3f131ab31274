package idv_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// press sends the form of the page with that button.
func (c client) press(page, action string, more url.Values) answer {
	c.t.Helper()
	c.token, c.tenant = "", "" // A browser knows neither.
	form := url.Values{"action": {action}}
	maps.Copy(form, more)
	return c.send("POST", page, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// open opens the page.
func (c client) open(page string) answer {
	c.t.Helper()
	c.token, c.tenant = "", ""
	return c.get(page)
}

var actions = []string{"choose-document", "take-selfie", "agree", "finish"}

// play plays everything, with a good or bad document and face.
func (c client) play(page, document, face string) {
	c.t.Helper()
	for i, quality := range []string{document, face, "", ""} {
		if a := c.press(page, actions[i], url.Values{"quality": {quality}, "kind": {"identity_card"}}); a.status != http.StatusSeeOther {
			c.t.Fatalf("%s: %d %s", actions[i], a.status, a.text)
		}
	}
}

func TestPage_PlayedToEnd(t *testing.T) {
	c := start(t)
	path, page := c.create(object{"documents": []object{{"id": "terms", "content": base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\nterms"))}}})
	for i, button := range []string{"Choose document", "Take selfie", "I agree", "Finish"} {
		shown := c.open(page)
		same(t, "status", shown.status, http.StatusOK)
		if !strings.Contains(shown.text, `<button name="action" value="`+actions[i]+`">`+button+`</button>`) || strings.Count(shown.text, "<button") != 1 || strings.Contains(shown.text, "<script") {
			t.Errorf("no button %s alone in %s", button, shown.text)
		}
		same(t, "status before "+button, c.get(path).ok()["status"], map[bool]string{true: "new", false: "workflow_in_progress"}[i == 0])
		same(t, "result", c.get(path + "/detailed-verification-report").ok()["result"], "Undefined")
		same(t, "another step", c.press(page, actions[(i+1)%4], nil).status, http.StatusSeeOther)
		done := c.press(page, actions[i], url.Values{"kind": {"passport"}})
		same(t, "leads", done.header.Get("Location"), strings.TrimPrefix(page, c.url))
	}
	got := c.get(path + "?withVerifications=true").ok()
	same(t, "status", got["status"], "completed")
	if got["completed"] == nil {
		t.Error("completed at no time")
	}
	var triggers []string
	for _, e := range got["events"].([]any) {
		triggers = append(triggers, e.(object)["trigger"].(string))
	}
	same(t, "events", triggers, "[transaction_created session_started document_selected verification_doc_id verification_document_with_face document_accepted consent_accepted session_ended workflow_completed autosigned post_processing vaulted transaction_completed]")
	same(t, "type", at(t, got, "events.6.type"), "consent_accepted")
	same(t, "references", at(t, got, "events.5.document_references"), "[terms]")
	same(t, "last_session_event", got["last_session_event"], "session_ended")
	for _, i := range []string{"0", "1"} {
		same(t, "verification", at(t, got, "verifications."+i+".status"), "SUCCESS")
		same(t, "verification", at(t, got, "verifications."+i+".vhub_transaction_status"), "COMPLETED")
	}
	if shown := c.open(page); !strings.Contains(shown.text, "Your verification is complete") || !strings.Contains(shown.text, "Passed") || !strings.Contains(shown.text, `href="http://localhost">Back to Countersign</a>`) {
		t.Error(shown.text)
	}
	c.post(path+"/token", object{"role": "customer"}).refused(http.StatusConflict)
	c.put(path+"/event", object{"trigger": "transaction_cancelled"}).refused(http.StatusConflict)
}

func TestResults_ByDocumentAndFace(t *testing.T) {
	for _, one := range []struct{ document, face, result string }{{"good", "good", "Passed"}, {"bad", "good", "Failed"}, {"good", "bad", "Failed"}} {
		c := start(t)
		path, page := c.create(nil)
		hub := at(t, c.get(path+"/verification").ok(), "vHubTransaction.status")
		same(t, "hub", hub, "IN_PROGRESS")
		c.play(page, one.document, one.face)
		report := c.get(path + "/detailed-verification-report").ok()
		same(t, "result", report["result"], one.result)
		same(t, "status", report["status"], "Completed")
		same(t, "stage", at(t, report, "stages.0.stageType.title"), "CreateVerification")
		same(t, "its result", at(t, report, "stages.0.result"), "Passed")
		same(t, "stage", at(t, report, "stages.1.stageType.title"), "DocumentVerification")
		same(t, "person", at(t, report, "stages.1.details.personalInformation.dateOfBirth"), "1990-01-31")
		same(t, "document", at(t, report, "stages.1.details.documentInformation.valid"), one.document == "good")
		results := c.get(path + "/verification").ok()
		verifications := c.get(path + "?withVerifications=true").ok()
		for i, quality := range []string{one.document, one.face} {
			index := string(rune('0' + i))
			var content object
			if err := json.Unmarshal([]byte(at(t, results, "verificationResults."+index+".content").(string)), &content); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"good": "Passed", "bad": "Failed"}[quality]
			same(t, "finding", at(t, content, "findings.result"), want)
			same(t, "stage", at(t, report, "stages."+string(rune('1'+i))+".result"), want)
			if address := at(t, content, "evidence.0.url").(string); !strings.HasPrefix(address, "sfs://") {
				t.Error(address)
			}
			id := at(t, verifications, "verifications."+index+".vhub_verification_id").(string)
			images := c.get(path + "/verifications/" + id + "/verification-images")
			if quality == "bad" {
				images.refused(http.StatusConflict)
				continue
			}
			same(t, "images", images.ok()["verification_id"], id)
			same(t, "number of images", len(images.ok()["verified_images"].([]any)), 2)
		}
	}
}

func TestImages_OfVerification(t *testing.T) {
	c := start(t)
	path, page := c.create(nil)
	id := strings.TrimPrefix(path, "/api/transactions/")
	c.press(page, "choose-document", nil)
	verification := at(t, c.get(path+"?withVerifications=true").ok(), "verifications.0.vhub_verification_id").(string)
	images := path + "/verifications/" + verification + "/verification-images"
	c.get(images).refused(http.StatusConflict)
	c.play(page, "good", "good")
	address := at(t, c.get(images).ok(), "verified_images.0.image_submitted_document_front").(string)
	same(t, "address", address, "sfs://sandbox/sandbox/transactions/"+id+"/verifications/"+verification+"/image_submitted_document_front.png")
	link := data(path, address)
	front := c.get(link)
	same(t, "media", front.header.Get("Content-Type"), "image/png")
	if decoded, err := png.Decode(strings.NewReader(front.text)); err != nil || decoded.Bounds().Dx() != 320 {
		t.Errorf("%v, %v", decoded, err)
	}
	same(t, "the report's", at(t, c.get(path+"/detailed-verification-report").ok(), "stages.1.details.idDocumentPictureUrl"), c.url+link)
	c.get(strings.Replace(link, "front", "side", 1)).refused(http.StatusNotFound)
	c.get(data(path, strings.Replace(address, verification, id, 1))).refused(http.StatusNotFound)
	c.get(strings.Replace(images, verification, id, 1)).refused(http.StatusNotFound)
	same(t, "without a token", c.open(link).status, http.StatusUnauthorized)
	other, page := c.create(nil)
	c.play(page, "good", "good")
	face := at(t, c.get(other+"?withVerifications=true").ok(), "verifications.1.vhub_verification_id").(string)
	selfie := at(t, c.get(other+"/verifications/"+face+"/verification-images").ok(), "verified_images.0.image_submitted_selfie").(string)
	if picture := c.get(data(other, selfie)); !bytes.HasPrefix([]byte(picture.text), []byte("\x89PNG")) || picture.text == front.text {
		t.Error("the selfie is no picture of its own")
	}
}

// The person is led to the client's redirect for the result.
func TestRedirects_ByResult(t *testing.T) {
	c := start(t)
	to := func(id string) object {
		return object{"id": id, "url": "https://client.example/" + strings.ToLower(id) + "?role={{userRole}}&t={{transactionId}}&o={{opaqueId}}"}
	}
	all := object{"opaque_id": "a b&c", "configuration": object{"redirects": []object{to("REDIRECT_DOCID_PASS"), to("REDIRECT_DOCID_FAIL"), to("REDIRECT_SESSION_TIMEOUT"), to("REDIRECT_ERROR"), to("REDIRECT_DEFAULT_URL")}}}
	led := func(a answer, path, id string) {
		t.Helper()
		same(t, "leads", a.header.Get("Location"), "https://client.example/"+id+"?role=customer&t="+strings.TrimPrefix(path, "/api/transactions/")+"&o=a+b%26c")
	}
	for quality, id := range map[string]string{"good": "redirect_docid_pass", "bad": "redirect_docid_fail"} {
		path, page := c.create(all)
		for _, action := range actions[:3] {
			c.press(page, action, url.Values{"quality": {quality}})
		}
		led(c.press(page, "finish", nil), path, id)
		if shown := c.open(page); !strings.Contains(shown.text, "https://client.example/"+id) {
			t.Error(shown.text)
		}
	}
	path, page := c.create(object{"configuration": object{"redirects": []object{{"id": "REDIRECT_DEFAULT_URL", "url": "https://client.example/default"}}}})
	c.play(page, "good", "good")
	same(t, "status", c.get(path).ok()["status"], "completed")
	same(t, "again", c.press(page, "finish", nil).header.Get("Location"), "https://client.example/default")
	path, page = c.create(all)
	c.advance("1h")
	led(c.open(page), path, "redirect_session_timeout")
}

func TestPage_CannotBePlayed(t *testing.T) {
	c := start(t)
	path, page := c.create(nil)
	gone, gonePage := c.create(nil)
	shows := func(page string, status int, text string) {
		t.Helper()
		for _, a := range []answer{c.open(page), c.press(page, "choose-document", nil)} {
			if a.status != http.StatusSeeOther && (a.status != status || !strings.Contains(a.text, text)) {
				t.Errorf("%d %s, want %d %s", a.status, a.text, status, text)
			}
		}
	}
	shows(page+"x", http.StatusForbidden, "This link cannot be used")
	shows(strings.Split(page, "?")[0], http.StatusForbidden, "This link cannot be used")
	shows(strings.Replace(page, "/esign/", "/esign/x", 1), http.StatusNotFound, "does not exist")
	c.advance("59m59s")
	same(t, "status", c.open(page).status, http.StatusOK)
	c.advance("1s")
	shows(page, http.StatusForbidden, "Your session has ended")
	same(t, "status", c.get(path).ok()["status"], "new")
	token := c.post(path+"/token", object{"role": "customer"}).ok()["token"].(string)
	fresh := strings.Split(page, "?")[0] + "?access_token=" + token
	same(t, "status", c.open(fresh).status, http.StatusOK)
	c.put(path+"/event", object{"trigger": "transaction_cancelled"}).ok()
	shows(fresh, http.StatusOK, "This verification was cancelled")
	shows(page, http.StatusOK, "This verification was cancelled")
	same(t, "status", c.get(path).ok()["status"], "cancelled")
	c.post("/api/transactions/mark-for-erasure", object{"grace_period": 0, "transaction_ids": []string{strings.TrimPrefix(gone, "/api/transactions/")}}).ok()
	shows(gonePage, http.StatusNotFound, "does not exist")
}
