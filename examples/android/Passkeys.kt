package com.example.countersign

import android.app.Activity
import android.view.View
import androidx.credentials.CreatePublicKeyCredentialRequest
import androidx.credentials.CreatePublicKeyCredentialResponse
import androidx.credentials.CredentialManager
import androidx.credentials.GetCredentialRequest
import androidx.credentials.GetCredentialResponse
import androidx.credentials.GetPublicKeyCredentialOption
import androidx.credentials.PendingGetCredentialRequest
import androidx.credentials.PublicKeyCredential
import androidx.credentials.SignalAllAcceptedCredentialIdsRequest
import androidx.credentials.SignalCurrentUserDetailsRequest
import androidx.credentials.exceptions.CreateCredentialException
import androidx.credentials.pendingGetCredentialRequest
import java.io.IOException
import kotlinx.coroutines.CancellationException
import org.json.JSONObject

class Passkeys(private val activity: Activity, private val countersign: Countersign) {
    private val manager = CredentialManager.create(activity)

    /** Registers a passkey. The user must have signed in within the last 10 minutes. */
    suspend fun register() {
        val asked = countersign.call("/users/me/generate-fido-registration-request", JSONObject().put("fidoProtocol", "FIDO2"))
        register(CreatePublicKeyCredentialRequest(asked.getString("registrationRequest")))
    }

    /** Call it after a sign-in by password. The password manager may add a passkey; the user sees no dialog and no error. */
    suspend fun registerByItself() {
        val wanted = JSONObject().put("fidoProtocol", "FIDO2").put("attestation", "none")
            .put("authenticatorSelection", JSONObject().put("userVerification", "preferred").put("requireResidentKey", true))
        try {
            val asked = countersign.call("/users/me/generate-fido-registration-request", wanted, conditional = true)
            register(CreatePublicKeyCredentialRequest(asked.getString("registrationRequest"), isConditional = true))
        } catch (ignored: CreateCredentialException) {
        } catch (ignored: Problem) {
        } catch (ignored: IOException) {
        }
    }

    private suspend fun register(request: CreatePublicKeyCredentialRequest) {
        val made = manager.createCredential(activity, request) as CreatePublicKeyCredentialResponse
        countersign.call("/users/me/register-fido-device", JSONObject()
            .put("fidoProtocol", "FIDO2")
            .put("registrationResponse", made.registrationResponseJson))
        signal()
    }

    /** Signs in. With stepUp the signed-in user confirms, and the session continues under a new token. */
    suspend fun signIn(user: String, stepUp: Boolean = false) {
        answer(user, manager.getCredential(activity, request(user, stepUp)))
    }

    /** Lets the keyboard and the suggestions of field offer the user's passkeys. picked: call answer with what it is given. */
    suspend fun suggest(user: String, field: View, picked: (GetCredentialResponse) -> Unit) {
        field.pendingGetCredentialRequest = PendingGetCredentialRequest(request(user, stepUp = false), picked)
    }

    private suspend fun request(user: String, stepUp: Boolean): GetCredentialRequest {
        val asked = countersign.call(
            "/users/$user/generate-fido-authentication-request", JSONObject().put("fidoProtocol", "FIDO2"), fresh = !stepUp)
        return GetCredentialRequest(
            listOf(GetPublicKeyCredentialOption(asked.getString("authenticationRequest"))),
            preferImmediatelyAvailableCredentials = true)                // no sheet that has nothing to offer
    }

    suspend fun answer(user: String, chosen: GetCredentialResponse) {
        val signed = chosen.credential as PublicKeyCredential
        countersign.call("/users/$user/login", JSONObject().put("credentials", JSONObject().put("fidoAuthenticator", JSONObject()
            .put("fidoProtocol", "FIDO2")
            .put("authenticationResponse", signed.authenticationResponseJson))))
        signal()
    }

    /** Tells the password manager which passkeys are accepted. Call it also after one was removed. */
    suspend fun signal() {
        try {
            val known = countersign.get("/users/me/accepted-passkeys")
            if (known.isNull("userId")) return                           // no passkey was used yet
            fun only(vararg names: String) = JSONObject(known, names).toString()
            if (!known.isNull("allAcceptedCredentialIds"))
                manager.signalCredentialState(SignalAllAcceptedCredentialIdsRequest(only("rpId", "userId", "allAcceptedCredentialIds")))
            if (!known.isNull("name"))
                manager.signalCredentialState(SignalCurrentUserDetailsRequest(only("rpId", "userId", "name", "displayName")))
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (ignored: Exception) {                                   // optional: no one waits for it
        }
    }
}
