package signing

import (
	"net/http"
	"slices"
	"strconv"

	"countersign/internal/sandbox/wire"
)

func (s *Server) attachmentRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "attach", Method: post, Path: attachPath, Call: s.attach, Admits: s.reads, BodyLimit: uploadLimit},
		{Operation: "detach", Method: del, Path: attachPath + "/{file}", Call: s.detach, Admits: s.reads},
		{Operation: "detach", Method: del, Path: attachPath + "/file/{file}", Call: s.detach, Admits: s.reads},
		{Operation: "getAttachment", Method: get, Path: attachPath, Call: s.ofPackage(s.getAttachment)},
		{Operation: "getAttachment", Method: get, Path: attachPath + "/{file}", Call: s.ofPackage(s.getAttachment)},
		{Operation: "getAttachment", Method: get, Path: attachPath + "/file/{file}", Call: s.ofPackage(s.getAttachment)},
		{Operation: "getAttachments", Method: get, Path: attachedPath + "/zip", Call: s.ofPackage(s.getAttachments)},
		{Operation: "getAttachments", Method: get, Path: attachedPath + "/zip/{role}", Call: s.ofPackage(s.getAttachments)},
		{Operation: "getAttachmentVerifications", Method: get, Path: attachedPath + "/verifications", Call: s.ofPackage(s.getChecks)},
	}
}

// attach adds a request's files to a signer's requirement.
func (s *Server) attach(r *http.Request) (any, error) {
	files, err := readAttachments(r)
	if err != nil {
		return nil, err
	}
	who := s.attacher(r)
	_, err = s.changeRoles(r, func(p *pkg) error {
		roleID, q, err := p.requirement(who, r.PathValue("attachment"))
		if err == nil {
			s.take(p, roleID, q, files)
		}
		return err
	})
	return wire.Empty{}, err
}

// take adds files to a requirement of the package, which they may complete.
func (s *Server) take(p *pkg, roleID string, q *requirement, files []file) {
	if p.attached == nil {
		p.attached = map[string][]byte{}
	}
	for _, one := range files {
		made := attachment{ID: q.nextFile(), Name: one.name, InsertDate: s.now().UnixMilli()}
		q.Files, q.Status = append(q.Files, made), complete
		p.attached[q.key(roleID, made)] = one.content
	}
	if p.Status == sent {
		p.finish(roleID, s.now())
	}
}

// readAttachments returns the files of a request, which also has a payload, of which nothing is
// read.
func readAttachments(r *http.Request) ([]file, error) {
	in, err := readParts(r)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(in.files, func(f file) bool { return f.name == "" && len(f.content) == 0 }) // browsers send this if none is
	if len(chosen) == 0 || in.payload == nil {
		return nil, malformed("The file or the payload is missing.", nil)
	}
	return chosen, nil
}

// detach removes an attached file.
func (s *Server) detach(r *http.Request) (any, error) {
	who := s.attacher(r)
	_, err := s.change(r, func(p *pkg) error {
		if p.Status != draft && p.Status != sent {
			return invalidState("The package is "+p.Status+".").With(messageKey, "error.validation.attachments.delete.completedTransaction")
		}
		return p.drop(who, r.PathValue("attachment"), r.PathValue("file"))
	})
	return wire.Empty{}, err
}

// drop removes a party's attached file.
func (p *pkg) drop(who party, name, fileID string) error {
	roleID, q, err := p.requirement(who, name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(q.Files, func(a attachment) bool { return strconv.Itoa(a.ID) == fileID })
	if i < 0 {
		return unknown("attachment")
	}
	delete(p.attached, q.key(roleID, q.Files[i]))
	if q.Files = slices.Delete(q.Files, i, i+1); len(q.Files) == 0 {
		q.Status = incomplete
	}
	return nil
}

// getAttachment answers with the file of a requirement, the one that the path names, or
// all of them in an archive.
func (s *Server) getAttachment(r *http.Request, p *pkg) (any, error) {
	roleID, q, err := p.requirement(s.attacher(r), r.PathValue("attachment"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, a := range q.Files {
		if id := r.PathValue("file"); id == "" || id == strconv.Itoa(a.ID) {
			files = append(files, p.attachedFile(roleID, *q, a))
		}
	}
	switch len(files) {
	case 0:
		return nil, unknown("attachment")
	case 1:
		return files[0], nil
	default:
		return archiveOf(q.Name+".zip", files)
	}
}

// getAttachments answers with an archive of all files attached by the signers, or by
// those of one role.
func (s *Server) getAttachments(r *http.Request, p *pkg) (any, error) {
	var files []file
	roles := p.Roles
	if id := r.PathValue("role"); id != "" {
		one, err := p.role(id)
		if err != nil {
			return nil, err
		}
		roles = []role{*one}
	}
	for _, one := range roles {
		for _, q := range one.AttachmentRequirements {
			for _, a := range q.Files {
				files = append(files, p.attachedFile(one.ID, q, a))
			}
		}
	}
	return archiveOf("attachments.zip", files)
}

// getChecks answers with the check of each attached file.
func (s *Server) getChecks(_ *http.Request, p *pkg) (any, error) {
	return p.fileChecks(""), nil
}

func (p *pkg) attachedFile(roleID string, q requirement, a attachment) file {
	return file{name: a.Name, media: "application/octet-stream", content: p.attached[q.key(roleID, a)]}
}

// key returns the package's key for an attached file of a role.
func (q *requirement) key(roleID string, a attachment) string {
	return roleID + "/" + q.ID + "/" + strconv.Itoa(a.ID)
}

// nextFile returns the id of the next file; the last one has the highest.
func (q *requirement) nextFile() int {
	if n := len(q.Files); n > 0 {
		return q.Files[n-1].ID + 1
	}
	return 1
}
