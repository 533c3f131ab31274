package com.example.countersign

import android.app.Activity
import androidx.credentials.CreatePublicKeyCredentialRequest
import androidx.credentials.CreatePublicKeyCredentialResponse
import androidx.credentials.CredentialManager
import androidx.credentials.GetCredentialRequest
import androidx.credentials.GetPublicKeyCredentialOption
import androidx.credentials.PublicKeyCredential
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import okhttp3.HttpUrl
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
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
interface TokenVault { var token: String? }

class Countersign(private val base: HttpUrl, private val http: OkHttpClient, private val vault: TokenVault) {

    suspend fun get(path: String) = send("GET", path)
    suspend fun call(path: String, body: JSONObject, fresh: Boolean = false) = send("POST", path, body, fresh)
    suspend fun rename(id: String, name: String) { send("PATCH", "/users/me/authenticators/$id", JSONObject().put("name", name)) }
    suspend fun remove(id: String, last: Boolean = false) =          // for a UAF key: deregistrationRequest
        send("DELETE", "/users/me/authenticators/$id" + if (last) "?confirm=last" else "")
    suspend fun signOut() { val sent = vault.token; send("DELETE", "/session"); forget(sent) }

    private fun keep(token: String) = synchronized(vault) { vault.token = token }

    /** Drops the token that was sent, unless a later response has replaced it. */
    private fun forget(sent: String?) = synchronized(vault) { if (vault.token == sent) vault.token = null }

    /** fresh: sends no token, so that the call starts a sign-in and not a step-up. */
    private suspend fun send(method: String, path: String, body: JSONObject? = null, fresh: Boolean = false): JSONObject =
        withContext(Dispatchers.IO) {
            val request = Request.Builder().url(base.resolve(path)!!)
                .method(method, body?.toString()?.toRequestBody("application/json".toMediaType())
                    ?: if (method == "POST") ByteArray(0).toRequestBody() else null)
            val token = vault.token.takeUnless { fresh }
            if (token != null) request.header("Authorization", "Bearer $token") else request.header("Countersign-Session", "bearer")
            http.newCall(request.build()).execute().use { response ->
                val text = response.body!!.string()                  // empty with 204
                val answer = runCatching { JSONObject(text) }.getOrDefault(JSONObject())   // {} for HTML
                if (!response.isSuccessful) {
                    if (answer.optString("key") == "session.required" && token != null) forget(token)
                    throw Problem(response.code, answer, response.header("Retry-After")?.toIntOrNull() ?: 0)
                }
                answer.optString("sessionToken").takeIf { it.isNotEmpty() }?.let { keep(it) }
                answer
            }
        }

    suspend fun registerPasskey(activity: Activity) {
        val asked = call("/users/me/generate-fido-registration-request", JSONObject().put("fidoProtocol", "FIDO2"))
        val made = CredentialManager.create(activity).createCredential(
            activity, CreatePublicKeyCredentialRequest(asked.getString("registrationRequest"))
        ) as CreatePublicKeyCredentialResponse
        call("/users/me/register-fido-device", JSONObject()
            .put("fidoProtocol", "FIDO2")
            .put("registrationResponse", made.registrationResponseJson))
    }

    /** Signs in. With stepUp the signed-in user confirms, and the session continues under a new token. */
    suspend fun signIn(activity: Activity, user: String, stepUp: Boolean = false) {
        val asked = call("/users/$user/generate-fido-authentication-request", JSONObject().put("fidoProtocol", "FIDO2"), fresh = !stepUp)
        val signed = CredentialManager.create(activity).getCredential(
            activity, GetCredentialRequest(listOf(GetPublicKeyCredentialOption(asked.getString("authenticationRequest"))))
        ).credential as PublicKeyCredential
        call("/users/$user/login", JSONObject().put("credentials", JSONObject().put("fidoAuthenticator", JSONObject()
            .put("fidoProtocol", "FIDO2")
            .put("authenticationResponse", signed.authenticationResponseJson))))
    }
}
