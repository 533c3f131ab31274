package page

import "countersign/templates"

// The notices: what pages say has just been done.
const (
	NoticeSignedOut     templates.Notice = "signed-out"
	NoticeRenamed       templates.Notice = "renamed"
	NoticeRemoved       templates.Notice = "removed"
	NoticeSessionEnded  templates.Notice = "session-ended"
	NoticeSessionsEnded templates.Notice = "sessions-ended"
	NoticeLanguage      templates.Notice = "language"
	NoticeMails         templates.Notice = "mails"
	NoticeForgotten     templates.Notice = "forgotten"
	// NoticeSessionOver says why the person has to sign in.
	NoticeSessionOver templates.Notice = "session-over"
	// NoticeNotDone says that what a form asked for was not done, because the session had ended.
	NoticeNotDone templates.Notice = "not-done"
	// NoticeAccountEnded says why the person was signed out everywhere.
	NoticeAccountEnded templates.Notice = "account-ended"

	NoticePersonSessionEnded  templates.Notice = "person-session-ended"
	NoticePersonSessionsEnded templates.Notice = "person-sessions-ended"
	NoticePersonRemoved       templates.Notice = "person-removed"
	NoticePersonUnlocked      templates.Notice = "person-unlocked"
	NoticePersonEnabled       templates.Notice = "person-enabled"

	NoticeVerificationCancelled templates.Notice = "verification-cancelled"
	NoticeVerificationTrail     templates.Notice = "verification-trail"
	NoticeVerificationMarked    templates.Notice = "verification-marked"
	NoticeVerificationErased    templates.Notice = "verification-erased"
	NoticeVerificationKept      templates.Notice = "verification-kept"

	NoticePackageSaved templates.Notice = "package-saved"
	NoticePackageSent  templates.Notice = "package-sent"
	// NoticePackageSentBefore says that the package was sent from elsewhere before the form was.
	NoticePackageSentBefore templates.Notice = "package-sent-before"
	// NoticePackageFilesAgain asks the person to choose the files once more.
	NoticePackageFilesAgain templates.Notice = "package-files-again"
	NoticePackageReminded   templates.Notice = "package-reminded"
	NoticePackageCancelled  templates.Notice = "package-cancelled"
	NoticePackageCopied     templates.Notice = "package-copied"
	NoticePackageDeleted    templates.Notice = "package-deleted"
	// NoticeNothingChosen says that nothing was chosen to be deleted.
	NoticeNothingChosen   templates.Notice = "nothing-chosen"
	NoticeTemplateSaved   templates.Notice = "template-saved"
	NoticePackageSigned   templates.Notice = "package-signed"
	NoticePackageUnsigned templates.Notice = "package-unsigned"
	NoticePackageDeclined templates.Notice = "package-declined"
	NoticeCorrected       templates.Notice = "recipient-corrected"

	NoticeFieldSaved   templates.Notice = "field-saved"
	NoticeFieldDeleted templates.Notice = "field-deleted"
)
