{{- /* The ScaledObject of a pool: runs that no executor has begun, and runs that are executed. Arguments as millrace.pod. */ -}}
{{- define "millrace.executorScaling" -}}
{{- $scaling := .options.autoscaling -}}
{{- $keda := .root.Values.keda -}}
{{- $selector := default (printf "namespace=%q" .root.Release.Namespace) $keda.prometheus.selector -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  pollingInterval: {{ $keda.pollingInterval }}
  cooldownPeriod: {{ $keda.cooldownPeriod }}
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  # While the count is not available, the pool keeps its pods, and has one at least.
  fallback: { failureThreshold: 3, replicas: {{ max 1 $scaling.minReplicas }}, behavior: currentReplicasIfHigher }
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {{- include "millrace.behavior" . | nindent 8 }}
  triggers:
    {{- if eq $scaling.source "prometheus" }}
    - type: prometheus
      metricType: AverageValue
      metadata:
        serverAddress: {{ $keda.prometheus.serverAddress }}
        # Each ingest process has the same count of the backlog; each executor has its own slots.
        query: >-
          sum(max by (lane) (millrace_backlog_runs{pool={{ .pool | quote }},{{ $selector }}}))
          + (sum(millrace_pool_slots{pool={{ .pool | quote }},state="busy",{{ $selector }}}) or vector(0))
        threshold: {{ $scaling.targetRuns | toString | quote }}
        activationThreshold: '0'
        ignoreNullValues: 'false'
    {{- else }}
    - type: metrics-api
      metricType: AverageValue
      metadata:
        url: http://{{ include "millrace.fullname" .root }}-gateway:7860/api/v1/autoscale?pool={{ .pool | urlquery }}
        valueLocation: pools.0.desired_executors
        targetValue: '1'
        activationTargetValue: '0'
        authMode: apiKey
        method: header
        keyParamName: x-api-key
      authenticationRef: { name: {{ include "millrace.fullname" .root }}-autoscale }
    {{- end }}
{{- end -}}
