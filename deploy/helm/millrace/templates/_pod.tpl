{{- /* Environment variables from the Secret, the certificates and the settings: .root, .settings, .env */ -}}
{{- define "millrace.env" -}}
{{- $secret := include "millrace.secretName" .root -}}
{{- range $name, $isOptional := dict "DATABASE_URL" false "DATABASE_DIRECT_URL" true "AMQP_URL" false "REDIS_URL" true "MILLRACE_ENCRYPTION_KEY" false "MILLRACE_OBJECT_STORE_URL" true "MILLRACE_SECRET_STORE" true }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $secret }}, key: {{ $name }}, optional: {{ $isOptional }} }
{{- end }}
{{- range $server, $tls := .root.Values.tls }}
{{- if $tls.existingSecret }}
{{- range $part, $variable := dict "ca" "CA" "certificate" "CERT" "key" "KEY" }}
{{- with get $tls $part }}
- { name: {{ upper $server }}_TLS_{{ $variable }}_FILE, value: /tls/{{ $server }}/{{ . }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := .settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- with .env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The pod of a service: .root, .component, .pool, .role, .arguments, .port, .live, .settings, .options, .name */ -}}
{{- define "millrace.pod" -}}
{{- $root := .root -}}
{{- $options := .options -}}
metadata:
  labels:
    {{- include "millrace.labels" . | nindent 4 }}
    {{- with $options.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or (not $root.Values.secrets.existingSecret) $options.podAnnotations }}
  annotations:
    {{- if not $root.Values.secrets.existingSecret }}
    checksum/secret: {{ $root.Values.secrets | toJson | sha256sum }}
    {{- end }}
    {{- with $options.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "millrace.serviceAccountName" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Longer than the service takes to finish its work.
  terminationGracePeriodSeconds: {{ add $options.shutdownSeconds 20 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $options.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext: {{- toYaml $root.Values.podSecurityContext | nindent 4 }}
  {{- with $options.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $options.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $options.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $options.topologySpread }}
    {{- toYaml $options.topologySpread | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "millrace.selector" . | nindent 10 }}
    {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "millrace.image" (dict "root" $root "image" $options.image) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: {{ .arguments | toJson }}
      securityContext: {{- toYaml $root.Values.containerSecurityContext | nindent 8 }}
      env:
        {{- $settings := dict "HOST" "0.0.0.0" "LOG_FORMAT" "json" "MILLRACE_SHUTDOWN_SECONDS" ($options.shutdownSeconds | toString) }}
        {{- $settings = mustMergeOverwrite $settings .settings (deepCopy $root.Values.settings) (deepCopy $options.settings) }}
        {{- include "millrace.env" (dict "root" $root "settings" $settings "env" $options.env) | nindent 8 }}
        {{- if eq .component "gateway" }}
        {{- range $name := list "DATABASE_REPLICA_URL" "MILLRACE_BOOTSTRAP_API_KEY" "MILLRACE_ISSUERS" }}
        - name: {{ $name }}
          valueFrom:
            secretKeyRef: { name: {{ include "millrace.secretName" $root }}, key: {{ $name }}, optional: true }
        {{- end }}
        {{- end }}
      {{- with $options.envFrom }}
      envFrom: {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - { name: http, containerPort: {{ .port }}, protocol: TCP }
      # Waiting for the migrations is part of the start: five minutes, and some.
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 2
        failureThreshold: 180
        timeoutSeconds: 5
      livenessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 10
        failureThreshold: 3
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        failureThreshold: 2
        timeoutSeconds: 5
      resources: {{- toYaml $options.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- include "millrace.tlsMounts" $root | nindent 8 }}
        {{- with $options.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: {{ $options.tmpSize }} }
    {{- include "millrace.tlsVolumes" $root | nindent 4 }}
    {{- with $options.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "millrace.tlsMounts" -}}
{{- range $server, $tls := .Values.tls }}
{{- if $tls.existingSecret }}
- { name: tls-{{ $server }}, mountPath: /tls/{{ $server }}, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{- define "millrace.tlsVolumes" -}}
{{- range $server, $tls := .Values.tls }}
{{- if $tls.existingSecret }}
- name: tls-{{ $server }}
  # Mode 0440.
  secret: { secretName: {{ $tls.existingSecret }}, defaultMode: 288 }
{{- end }}
{{- end }}
{{- end -}}
