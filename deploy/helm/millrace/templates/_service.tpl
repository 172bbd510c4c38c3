{{- /* What each service has: Deployment, PodDisruptionBudget, and an autoscaler on CPU. Arguments as millrace.pod. */ -}}
{{- define "millrace.workload" -}}
{{- $scaling := .options.autoscaling -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  {{- if eq $scaling.kind "none" }}
  replicas: {{ .options.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    # A pod of the former release ends when one of this release is ready.
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: {{- include "millrace.selector" . | nindent 6 }}
  template:
    {{- include "millrace.pod" . | nindent 4 }}
{{- if .options.disruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .options.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels: {{- include "millrace.selector" . | nindent 6 }}
{{- end }}
{{- if eq $scaling.kind "hpa" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  minReplicas: {{ $scaling.minReplicas }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $scaling.cpuPercent }} }
  behavior: {{- include "millrace.behavior" . | nindent 4 }}
{{- end }}
{{- if and (eq $scaling.kind "keda") (ne .component "executor") }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  pollingInterval: {{ .root.Values.keda.pollingInterval }}
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {{- include "millrace.behavior" . | nindent 8 }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ $scaling.cpuPercent | toString | quote }} }
{{- end }}
{{- end -}}

{{- /* Up: at once, at most four pods or twice as many in 15 s. Down: after five minutes, half of the pods a minute. */ -}}
{{- define "millrace.behavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  selectPolicy: Max
  policies:
    - { type: Pods, value: 4, periodSeconds: 15 }
    - { type: Percent, value: 100, periodSeconds: 15 }
scaleDown:
  stabilizationWindowSeconds: 300
  selectPolicy: Max
  policies:
    - { type: Percent, value: 50, periodSeconds: 60 }
{{- end -}}

{{- /* The Service of a component: .root, .component, .name, .port, .service */ -}}
{{- define "millrace.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "millrace.labels" . | nindent 4 }}
    millrace.dev/job: millrace-{{ .component }}
  {{- with .service.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .service.type }}
  {{- if .service.headless }}
  clusterIP: None
  {{- end }}
  selector: {{- include "millrace.selector" . | nindent 4 }}
  ports:
    - { name: http, port: {{ .port }}, targetPort: http, protocol: TCP }
{{- end -}}

{{- /* Processes that share the limits of a key and of a user: as many as there can be. */ -}}
{{- define "millrace.totalWorkers" -}}
{{- ternary .replicas .autoscaling.maxReplicas (eq .autoscaling.kind "none") -}}
{{- end -}}

{{- /* Whether there is always an executor: false when KEDA or a number of 0 can leave every pool without one. */ -}}
{{- define "millrace.awaitsExecutors" -}}
{{- $awaits := false -}}
{{- range $pool, $own := .Values.executorPools -}}
{{- $options := mustMergeOverwrite (deepCopy $.Values.executor) (deepCopy $own) -}}
{{- $least := ternary $options.replicas $options.autoscaling.minReplicas (eq $options.autoscaling.kind "none") -}}
{{- if gt (int $least) 0 -}}
{{- $awaits = true -}}
{{- end -}}
{{- end -}}
{{- $awaits -}}
{{- end -}}
