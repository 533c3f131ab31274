package templates

// scriptTexts are the messages that scripts show.
var scriptTexts = []string{
	"js.offline.title",
	"js.offline.message",
	"js.failed.title",
	"js.failed.message",
	"js.get.waiting",
	"js.get.checking",
	"js.get.failed",
	"js.create.waiting",
	"js.create.saving",
	"js.create.failed",
	"js.stalled",
	"js.push.waiting",
	"js.push.failed",
	"js.push.refused",
	"js.push.timeout",
	"js.push.unreached",
	"js.push.unreached-detail",
	"js.reason.cancelled-create",
	"js.reason.cancelled-get",
	"js.reason.stopped",
	"js.reason.timeout",
	"js.reason.exists",
	"js.reason.busy",
	"js.reason.address",
	"js.reason.algorithm",
	"js.reason.unsupported",
	"js.reason.constraint-create",
	"js.reason.constraint-get",
	"js.reason.unreadable",
	"js.reason.device",
	"js.reason.network",
	"js.reason.data",
	"js.reason.pending",
	"js.reason.other",
}

// ScriptTexts returns the messages that a page with scripts contains.
func (v View) ScriptTexts() []string { return scriptTexts }
