package com.example.countersign

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import okhttp3.HttpUrl
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import org.json.JSONObject

/** A refusal. key is "" if the body is not JSON, for example the HTML page of a proxy. */
class Problem(val status: Int, val body: JSONObject, val retryAfter: Int) : Exception(body.optString("title", "HTTP $status")) {
    val key get() = body.optString("key")
    val detail get() = body.optString("detail")
    val action get() = body.optString("action")
    val instance get() = body.optString("instance")              // the request ID
    val retryable get() = body.optBoolean("retryable", status in 502..504)
    val command get() = body.optString("command").ifEmpty { null }
}

/** Stores the session token, encrypted with a key of the Android Keystore. */
interface TokenVault {
    var token: String?
}

/** With a key, each session is bound to it: a copied token is useless without the device. */
class Countersign(
    private val base: HttpUrl, private val http: OkHttpClient, private val vault: TokenVault, private val key: ProofKey? = null,
) {
    suspend fun get(path: String) = send("GET", path)
    suspend fun call(path: String, body: JSONObject, fresh: Boolean = false, conditional: Boolean = false) =
        send("POST", path, body, fresh, conditional)
    suspend fun rename(id: String, name: String) { send("PATCH", "/users/me/authenticators/$id", JSONObject().put("name", name)) }
    suspend fun remove(id: String, last: Boolean = false) =          // for a UAF key: deregistrationRequest
        send("DELETE", "/users/me/authenticators/$id" + if (last) "?confirm=last" else "")
    suspend fun signOut() { val sent = vault.token; send("DELETE", "/session"); forget(sent) }
    suspend fun signInByPassword(user: String, password: String) =
        call("/users/$user/login", JSONObject().put("credentials", JSONObject().put("passKey", password)), fresh = true)

    private fun keep(token: String) = synchronized(vault) { vault.token = token }

    /** Drops the token that was sent, unless a later response has replaced it. */
    private fun forget(sent: String?) = synchronized(vault) { if (vault.token == sent) vault.token = null }

    /**
     * fresh: sends no token, so that the call starts a sign-in and not a step-up.
     * conditional: the user did not ask for the passkey that the call creates.
     */
    private suspend fun send(
        method: String, path: String, body: JSONObject? = null, fresh: Boolean = false, conditional: Boolean = false,
    ): JSONObject = withContext(Dispatchers.IO) {
        val token = vault.token.takeUnless { fresh }
        val first = exchange(method, path, body, token, conditional)
        val reply = if (first.wantsNonce) exchange(method, path, body, token, conditional) else first
        if (reply.status !in 200..299) {
            if (reply.body.optString("key") == "session.required" && token != null) forget(token)
            throw Problem(reply.status, reply.body, reply.retryAfter)
        }
        reply.body.optString("sessionToken").takeIf { it.isNotEmpty() }?.let { keep(it) }
        reply.body
    }

    private class Reply(val status: Int, val body: JSONObject, val retryAfter: Int, val wantsNonce: Boolean)

    private fun exchange(method: String, path: String, body: JSONObject?, token: String?, conditional: Boolean): Reply {
        val url = base.resolve(path)!!
        val request = Request.Builder().url(url).method(method, body?.toString()?.toRequestBody("application/json".toMediaType())
            ?: if (method == "POST") ByteArray(0).toRequestBody() else null)
        if (key != null) request.header("DPoP", key.proof(method, url, token))
        if (token == null) request.header("Countersign-Session", "bearer")
        else request.header("Authorization", (if (key == null) "Bearer " else "DPoP ") + token)
        if (conditional) request.header("Countersign-Conditional", "create")
        return http.newCall(request.build()).execute().use { response -> read(response) }
    }

    private fun read(response: Response): Reply {
        response.header("DPoP-Nonce")?.let { key?.nonce = it }
        val answer = runCatching { JSONObject(response.body!!.string()) }.getOrDefault(JSONObject())   // {} for 204 and for HTML
        val wantsNonce = response.code == 401 && response.header("WWW-Authenticate").orEmpty().contains("use_dpop_nonce")
        return Reply(response.code, answer, response.header("Retry-After")?.toIntOrNull() ?: 0, wantsNonce)
    }
}
