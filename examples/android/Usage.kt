package com.example.countersign

import android.app.Activity
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.OkHttpClient

suspend fun usage(activity: Activity, vault: TokenVault) {
    val countersign = Countersign("https://countersign.example/".toHttpUrl(), OkHttpClient(), vault, ProofKey())
    val passkeys = Passkeys(activity, countersign)
    passkeys.signIn("alice@example")
    passkeys.register()                                // signed in, sign-in not older than 10 minutes
    val packages = countersign.get("/api/packages?mine=to-sign")
    countersign.signOut()

    countersign.signInByPassword("bob@example", "…")
    passkeys.registerByItself()
}
