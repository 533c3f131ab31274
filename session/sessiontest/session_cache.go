package sessiontest

import "countersign/session"

// rememberedEnds lets two nodes remember sessions: an end on one node, or a change on the
// other, holds for both with the next request.
func rememberedEnds(f *fixture) {
	other := f.node(Keys[0])
	nodes := []*session.Store{f.Store, other}
	mine, second, foreign := f.signIn(nil, alice), f.signIn(nil, alice), f.signIn(nil, bob)
	for range 2 {
		for _, node := range nodes {
			for token, want := range map[string]*session.Session{mine.Token(): mine, second.Token(): second, foreign.Token(): foreign} {
				if sess, ok := f.load(node, token); !ok || sess.ID() != want.ID() {
					f.Fatalf("%v is loaded as %v", want, sess)
				}
			}
		}
	}
	f.must(other.SetLanguage(f.ctx(), f.again(mine), "ja"))
	for _, node := range nodes {
		if sess, _ := f.load(node, mine.Token()); sess.Language() != "ja" {
			f.Errorf("a change is not seen: %q", sess.Language())
		}
		if sess, _ := f.load(node, second.Token()); sess.Language() != "" {
			f.Errorf("another session has changed: %q", sess.Language())
		}
	}
	f.must(other.SignOut(f.ctx(), f.again(mine)))
	ended, err := f.End(f.ctx(), bob.ID, foreign.ID())
	f.must(err)
	for _, node := range nodes {
		for _, token := range []string{mine.Token(), foreign.Token()} {
			if _, ok := f.load(node, token); ok || !ended {
				f.Error("a session that was ended is alive")
			}
		}
		if _, ok := f.load(node, second.Token()); !ok {
			f.Error("the other session of the person has ended too")
		}
	}
}

// rememberedBytes changes the bytes in Redis of a session that its node remembers.
func rememberedBytes(f *fixture) {
	sess, foreign := f.signIn(nil, alice), f.signIn(nil, bob)
	client := f.backend.Client
	key, foreignKey := sessionKey(f, sess), sessionKey(f, foreign)
	value := client.Get(f.ctx(), key).Val()
	for name, forged := range map[string]string{
		"another person's":     client.Get(f.ctx(), foreignKey).Val(),
		"of another revision":  "\x00\x00\x00\x00\x00\x00\x00\x09" + value[8:],
		"longer":               value + "x",
		"without its last one": value[:len(value)-1],
	} {
		f.alive(sess.Token(), "it is remembered")
		f.must(client.Set(f.ctx(), key, forged, Idle).Err())
		if _, ok := f.load(f.Store, sess.Token()); ok {
			f.Errorf("a value that is %s opens", name)
		}
		f.must(client.Set(f.ctx(), key, value, Idle).Err())
	}
	f.alive(sess.Token(), "its value is as it was")
	f.must(client.Set(f.ctx(), foreignKey, value, Idle).Err())
	if _, ok := f.load(f.Store, foreign.Token()); ok {
		f.Error("a value opens under another token")
	}
	f.pass(Idle)
	f.gone(sess.Token(), "it was not used for so long")
}
