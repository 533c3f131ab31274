package com.example.countersign

import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import android.util.Base64
import java.math.BigInteger
import java.security.KeyPairGenerator
import java.security.KeyStore
import java.security.MessageDigest
import java.security.Signature
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import java.util.UUID
import okhttp3.HttpUrl
import org.json.JSONObject

/** A DPoP key (RFC 9449) that stays in the Android Keystore. */
class ProofKey(private val alias: String = "countersign-proof") {
    @Volatile var nonce: String? = null                              // the newest DPoP-Nonce

    private val entry: KeyStore.PrivateKeyEntry by lazy {
        val store = KeyStore.getInstance("AndroidKeyStore").apply { load(null) }
        if (!store.containsAlias(alias)) {
            val made = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, "AndroidKeyStore")
            made.initialize(KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
                .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
                .setDigests(KeyProperties.DIGEST_SHA256).build())
            made.generateKeyPair()
        }
        store.getEntry(alias, null) as KeyStore.PrivateKeyEntry
    }

    fun proof(method: String, url: HttpUrl, token: String?): String {
        val point = (entry.certificate.publicKey as ECPublicKey).w
        val jwk = JSONObject().put("kty", "EC").put("crv", "P-256")
            .put("x", point.affineX.bytes32().base64URL()).put("y", point.affineY.bytes32().base64URL())
        val header = JSONObject().put("typ", "dpop+jwt").put("alg", "ES256").put("jwk", jwk)
        val said = JSONObject().put("jti", UUID.randomUUID().toString()).put("htm", method)
            .put("htu", url.newBuilder().query(null).fragment(null).build().toString())
            .put("iat", System.currentTimeMillis() / 1000)
        token?.let { said.put("ath", MessageDigest.getInstance("SHA-256").digest(it.toByteArray()).base64URL()) }
        nonce?.let { said.put("nonce", it) }
        val input = header.toString().toByteArray().base64URL() + "." + said.toString().toByteArray().base64URL()
        val signed = Signature.getInstance("SHA256withECDSA").run {
            initSign(entry.privateKey)
            update(input.toByteArray())
            sign()
        }
        return input + "." + signed.raw().base64URL()
    }

    /** Converts a DER signature to the JWT form: r and s, 32 bytes each. */
    private fun ByteArray.raw(): ByteArray {
        val r = copyOfRange(4, 4 + this[3])
        val s = copyOfRange(6 + this[3], size)
        return BigInteger(1, r).bytes32() + BigInteger(1, s).bytes32()
    }
    private fun BigInteger.bytes32() = toByteArray().let { ByteArray(maxOf(0, 32 - it.size)) + it.takeLast(32) }
    private fun ByteArray.base64URL() = Base64.encodeToString(this, Base64.URL_SAFE or Base64.NO_PADDING or Base64.NO_WRAP)
}
