{{- define "millrace.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "millrace.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "millrace.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "millrace.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "millrace.secretName" -}}
{{- default (include "millrace.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}

{{- define "millrace.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "millrace.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* The digest is that of one image: a pool with another repository or tag does not take it. */ -}}
{{- define "millrace.image" -}}
{{- $own := default dict .image -}}
{{- $image := mustMergeOverwrite (deepCopy .root.Values.image) $own -}}
{{- printf "%s:%s" $image.repository (default .root.Chart.AppVersion $image.tag) -}}
{{- with (ternary .root.Values.image.digest $own.digest (empty $own)) }}@{{ . }}{{ end -}}
{{- end -}}

{{- /* Labels that a selector can have: .root, .component, and .pool for executors. */ -}}
{{- define "millrace.selector" -}}
app.kubernetes.io/name: {{ include "millrace.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
millrace.dev/pool: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: millrace
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}
