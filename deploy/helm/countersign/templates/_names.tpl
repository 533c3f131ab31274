{{- define "labels" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "about" -}}
name: {{ .Release.Name }}
labels:
  {{- include "labels" . | nindent 2 }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
