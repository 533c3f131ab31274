package com.example.countersign

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import org.json.JSONObject

abstract class Activation(
    private val scope: CoroutineScope, private val countersign: Countersign, private val orchestrator: Orchestrator,
) : OnlineActivationCallback {
    abstract fun show(refused: Problem)

    // of OnlineActivationCallback
    override fun onActivationStepComplete(command: String?) {
        scope.launch {
            val answer = try {
                countersign.call("/orchestration-commands", JSONObject().put("command", command)).getString("command")
            } catch (refused: Problem) {
                refused.command ?: return@launch show(refused)       // the platform's error command, for the SDK
            }
            orchestrator.execute(answer)
        }
    }
}
