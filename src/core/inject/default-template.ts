// Fairway's own injection template and the values it works with where a revision brings none of its own. Hooks, the drain deadline and
// the order of containers are no business of a template: lifecycle.ts and order.ts set them.

/** The injector's configuration with the template `sidecar`. */
export const defaultConfigText = (): string => `policy: enabled
defaultTemplates: [sidecar]
templates:
  sidecar: |
${sidecar.replace(/^(?=.)/gm, '    ')}`;

/** Values for a proxy image; `discovery` is where its control plane certifies (host:port). */
export function defaultValuesText({ image, discovery, revision }: DefaultValues): string {
  return JSON.stringify({
    revision,
    global: {
      caAddress: discovery,
      pilotCertProvider: 'istiod',
      imagePullPolicy: '',
      imagePullSecrets: [],
      logging: { level: 'default:info' },
      logAsJson: false,
      network: '',
      meshID: '',
      multiCluster: { clusterName: 'Kubernetes' },
      sds: { token: { aud: 'istio-ca' } },
      proxy_init: { image },
      proxy: {
        image,
        clusterDomain: 'cluster.local',
        logLevel: 'warning',
        componentLogLevel: 'misc:error',
        privileged: false,
        statusPort: 15020,
        startupProbe: { enabled: true, failureThreshold: 600 },
        readinessInitialDelaySeconds: 0,
        readinessPeriodSeconds: 15,
        readinessFailureThreshold: 4,
        includeIPRanges: '*',
        excludeIPRanges: '',
        includeInboundPorts: '*',
        excludeInboundPorts: '',
        includeOutboundPorts: '',
        excludeOutboundPorts: '',
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '2', memory: '1Gi' } },
      },
    },
    pilot: { cni: { enabled: false } },
    sidecarInjectorWebhook: { rewriteAppHTTPProbe: true },
  });
}

export interface DefaultValues {
  /** The whole reference: registry/name:tag. */
  readonly image: string;
  readonly discovery: string;
  readonly revision: string;
}

const sidecar = `{{- $notes := .ObjectMeta.Annotations }}
{{- $proxy := .Values.global.proxy }}
{{- $cni := .Values.pilot.cni.enabled }}
{{- $native := eq (index $notes "sidecar.istio.io/nativeSidecar" | default (printf "%t" .NativeSidecars)) "true" }}
{{- $mode := annotation .ObjectMeta "sidecar.istio.io/interceptionMode" .ProxyConfig.InterceptionMode }}
{{- $tproxy := eq $mode "TPROXY" }}
{{- $lowPorts := eq (annotation .ObjectMeta "sidecar.istio.io/capNetBindService" "false") "true" }}
{{- $statusPort := annotation .ObjectMeta "status.sidecar.istio.io/port" $proxy.statusPort }}
{{- $excluded := excludeInboundPort $statusPort (annotation .ObjectMeta "traffic.sidecar.istio.io/excludeInboundPorts" $proxy.excludeInboundPorts) }}
{{- $image := annotation .ObjectMeta "sidecar.istio.io/proxyImage" $proxy.image }}
{{- $agentLog := annotation .ObjectMeta "sidecar.istio.io/agentLogLevel" .Values.global.logging.level }}
{{- $trust := valueOrDefault .MeshConfig.TrustDomain "cluster.local" }}
{{- $apps := list }}
{{- range .Spec.Containers }}{{ if ne .Name "istio-proxy" }}{{ $apps = append $apps .Name }}{{ end }}{{ end }}
{{- define "proxy.resources" }}
{{- $notes := .ObjectMeta.Annotations }}
{{- $requests := dict }}{{ $limits := dict }}
{{- with index $notes "sidecar.istio.io/proxyCPU" }}{{ $_ := set $requests "cpu" . }}{{ end }}
{{- with index $notes "sidecar.istio.io/proxyMemory" }}{{ $_ := set $requests "memory" . }}{{ end }}
{{- with index $notes "sidecar.istio.io/proxyCPULimit" }}{{ $_ := set $limits "cpu" . }}{{ end }}
{{- with index $notes "sidecar.istio.io/proxyMemoryLimit" }}{{ $_ := set $limits "memory" . }}{{ end }}
{{- if or $requests $limits }}{{ toJson (dict "requests" $requests "limits" $limits) }}
{{- else }}{{ toJson (omitNil (.Values.global.proxy.resources | default dict) | default dict) }}{{ end }}
{{- end }}
metadata:
  labels:
    security.istio.io/tlsMode: {{ index .ObjectMeta.Labels "security.istio.io/tlsMode" | default "istio" | quote }}
    service.istio.io/canonical-name: {{ coalesce (index .ObjectMeta.Labels "service.istio.io/canonical-name") (index .ObjectMeta.Labels "app.kubernetes.io/name") (index .ObjectMeta.Labels "app") .DeploymentMeta.Name | quote }}
    service.istio.io/canonical-revision: {{ coalesce (index .ObjectMeta.Labels "service.istio.io/canonical-revision") (index .ObjectMeta.Labels "app.kubernetes.io/version") (index .ObjectMeta.Labels "version") "latest" | quote }}
    {{- if eq (index .ProxyConfig.ProxyMetadata "ISTIO_META_ENABLE_HBONE") "true" }}
    networking.istio.io/tunnel: {{ index .ObjectMeta.Labels "networking.istio.io/tunnel" | default "http" | quote }}
    {{- end }}
  annotations:
    istio.io/rev: {{ .Revision | default "default" | quote }}
    {{- if $apps }}
    kubectl.kubernetes.io/default-container: {{ index $notes "kubectl.kubernetes.io/default-container" | default (first $apps) | quote }}
    kubectl.kubernetes.io/default-logs-container: {{ index $notes "kubectl.kubernetes.io/default-logs-container" | default (first $apps) | quote }}
    {{- end }}
    {{- if $cni }}
    sidecar.istio.io/interceptionMode: {{ $mode | quote }}
    traffic.sidecar.istio.io/includeInboundPorts: {{ annotation .ObjectMeta "traffic.sidecar.istio.io/includeInboundPorts" $proxy.includeInboundPorts | quote }}
    traffic.sidecar.istio.io/excludeInboundPorts: {{ $excluded | quote }}
    traffic.sidecar.istio.io/includeOutboundIPRanges: {{ annotation .ObjectMeta "traffic.sidecar.istio.io/includeOutboundIPRanges" $proxy.includeIPRanges | quote }}
    traffic.sidecar.istio.io/excludeOutboundIPRanges: {{ annotation .ObjectMeta "traffic.sidecar.istio.io/excludeOutboundIPRanges" $proxy.excludeIPRanges | quote }}
    {{- if eq (toString .Values.pilot.cni.provider) "multus" }}
    k8s.v1.cni.cncf.io/networks: {{ appendMultusNetwork (index $notes "k8s.v1.cni.cncf.io/networks") "default/istio-cni" | quote }}
    {{- end }}
    {{- end }}
spec:
  {{- if or $native (ne $mode "NONE") }}
  initContainers:
  {{- end }}
  {{- if ne $mode "NONE" }}
  - name: {{ ternary "istio-validation" "istio-init" $cni }}
    image: {{ $image | quote }}
    {{- with .Values.global.imagePullPolicy }}
    imagePullPolicy: {{ . }}
    {{- end }}
    args:
    - istio-iptables
    - -p
    - {{ .MeshConfig.ProxyListenPort | default 15001 | quote }}
    - -z
    - {{ .MeshConfig.ProxyInboundListenPort | default 15006 | quote }}
    - -u
    - {{ ternary 1337 .ProxyUID $tproxy | quote }}
    - -m
    - {{ $mode | quote }}
    - -i
    - {{ annotation .ObjectMeta "traffic.sidecar.istio.io/includeOutboundIPRanges" $proxy.includeIPRanges | quote }}
    - -x
    - {{ annotation .ObjectMeta "traffic.sidecar.istio.io/excludeOutboundIPRanges" $proxy.excludeIPRanges | quote }}
    - -b
    - {{ annotation .ObjectMeta "traffic.sidecar.istio.io/includeInboundPorts" $proxy.includeInboundPorts | quote }}
    - -d
    - {{ list "15090" "15021" $excluded | compact | join "," | quote }}
    {{- with annotation .ObjectMeta "traffic.sidecar.istio.io/includeOutboundPorts" $proxy.includeOutboundPorts }}
    - -q
    - {{ . | quote }}
    {{- end }}
    {{- with annotation .ObjectMeta "traffic.sidecar.istio.io/excludeOutboundPorts" $proxy.excludeOutboundPorts }}
    - -o
    - {{ . | quote }}
    {{- end }}
    {{- with coalesce (index $notes "istio.io/reroute-virtual-interfaces") (index $notes "traffic.sidecar.istio.io/kubevirtInterfaces") }}
    - -k
    - {{ . | quote }}
    {{- end }}
    {{- with index $notes "traffic.sidecar.istio.io/excludeInterfaces" }}
    - -c
    - {{ . | quote }}
    {{- end }}
    - {{ printf "--log_output_level=%s" $agentLog | quote }}
    {{- if .Values.global.logAsJson }}
    - --log_as_json
    {{- end }}
    {{- if $cni }}
    - --run-validation
    - --skip-rule-apply
    {{- end }}
    {{- with .ProxyConfig.ProxyMetadata }}
    env:
    {{- range $name, $value := . }}
    - {name: {{ $name | quote }}, value: {{ $value | quote }}}
    {{- end }}
    {{- end }}
    resources: {{ template "proxy.resources" . }}
    securityContext:
      allowPrivilegeEscalation: {{ $proxy.privileged }}
      privileged: {{ $proxy.privileged }}
      readOnlyRootFilesystem: {{ $cni }}
      runAsNonRoot: {{ $cni }}
      {{- if $cni }}
      runAsUser: {{ .ProxyUID }}
      runAsGroup: {{ .ProxyGID }}
      capabilities: {drop: [ALL]}
      {{- else }}
      runAsUser: 0
      runAsGroup: 0
      capabilities: {drop: [ALL], add: [NET_ADMIN, NET_RAW]}
      {{- end }}
  {{- end }}
  {{- if not $native }}
  containers:
  {{- end }}
  - name: istio-proxy
    image: {{ $image | quote }}
    {{- with .Values.global.imagePullPolicy }}
    imagePullPolicy: {{ . }}
    {{- end }}
    {{- if $native }}
    restartPolicy: Always
    {{- end }}
    args:
    - proxy
    - sidecar
    - --domain
    - $(POD_NAMESPACE).svc.{{ $proxy.clusterDomain }}
    - {{ printf "--proxyLogLevel=%s" (annotation .ObjectMeta "sidecar.istio.io/logLevel" $proxy.logLevel) | quote }}
    - {{ printf "--proxyComponentLogLevel=%s" (annotation .ObjectMeta "sidecar.istio.io/componentLogLevel" $proxy.componentLogLevel) | quote }}
    - {{ printf "--log_output_level=%s" $agentLog | quote }}
    {{- if .Values.global.logAsJson }}
    - --log_as_json
    {{- end }}
    ports:
    - {name: http-envoy-prom, containerPort: 15090, protocol: TCP}
    env:
    {{- if eq .InboundTrafficPolicyMode "localhost" }}
    - {name: REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION, value: "true"}
    {{- end }}
    - {name: PILOT_CERT_PROVIDER, value: {{ .Values.global.pilotCertProvider | quote }}}
    - {name: CA_ADDR, value: {{ .Values.global.caAddress | default .ProxyConfig.DiscoveryAddress | quote }}}
    {{- range $name, $path := dict "POD_NAME" "metadata.name" "POD_NAMESPACE" "metadata.namespace" "INSTANCE_IP" "status.podIP" "SERVICE_ACCOUNT" "spec.serviceAccountName" "HOST_IP" "status.hostIP" "ISTIO_META_NODE_NAME" "spec.nodeName" }}
    - {name: {{ $name }}, valueFrom: {fieldRef: {fieldPath: {{ $path }}}}}
    {{- end }}
    - {name: ISTIO_CPU_LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "1"}}}
    - {name: GOMEMLIMIT, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "1"}}}
    - {name: PROXY_CONFIG, value: {{ protoToJSON .ProxyConfig | quote }}}
    - name: ISTIO_META_POD_PORTS
      value: {{ $ports := list }}{{ range .Spec.Containers }}{{ range .Ports }}{{ $ports = append $ports (structToJSON .) }}{{ end }}{{ end }}{{ printf "[%s]" (join "," $ports) | quote }}
    - {name: ISTIO_META_APP_CONTAINERS, value: {{ join "," $apps | quote }}}
    - {name: ISTIO_META_CLUSTER_ID, value: {{ .Values.global.multiCluster.clusterName | default "Kubernetes" | quote }}}
    - {name: ISTIO_META_INTERCEPTION_MODE, value: {{ $mode | quote }}}
    - {name: ISTIO_META_MESH_ID, value: {{ .Values.global.meshID | default $trust | quote }}}
    - {name: TRUST_DOMAIN, value: {{ $trust | quote }}}
    {{- with .Values.global.network }}
    - {name: ISTIO_META_NETWORK, value: {{ . | quote }}}
    {{- end }}
    {{- with index .ObjectMeta.Labels "service.istio.io/workload-name" | default .DeploymentMeta.Name }}
    - {name: ISTIO_META_WORKLOAD_NAME, value: {{ . | quote }}}
    {{- end }}
    {{- if and .TypeMeta.APIVersion .DeploymentMeta.Name }}
    - {name: ISTIO_META_OWNER, value: {{ printf "kubernetes://apis/%s/namespaces/%s/%ss/%s" .TypeMeta.APIVersion (.DeploymentMeta.Namespace | default "default") (toLower .TypeMeta.Kind) .DeploymentMeta.Name | quote }}}
    {{- end }}
    {{- if isset $notes "sidecar.istio.io/bootstrapOverride" }}
    - {name: ISTIO_BOOTSTRAP_OVERRIDE, value: /etc/istio/custom-bootstrap/custom_bootstrap.json}
    {{- end }}
    {{- with otelResourceAttributes .MeshConfig .ObjectMeta.Annotations .ObjectMeta.Labels .DeploymentMeta.Namespace .Spec.Containers }}
    - {name: OTEL_RESOURCE_ATTRIBUTES, value: {{ . | quote }}}
    {{- end }}
    {{- range $name, $value := .ProxyConfig.ProxyMetadata }}
    - {name: {{ $name | quote }}, value: {{ $value | quote }}}
    {{- end }}
    {{- if ne $statusPort "0" }}
    {{- if $proxy.startupProbe.enabled }}
    startupProbe:
      httpGet: {path: /healthz/ready, port: 15021}
      periodSeconds: 1
      timeoutSeconds: 3
      failureThreshold: {{ $proxy.startupProbe.failureThreshold }}
    {{- end }}
    readinessProbe:
      httpGet: {path: /healthz/ready, port: 15021}
      initialDelaySeconds: {{ annotation .ObjectMeta "readiness.status.sidecar.istio.io/initialDelaySeconds" $proxy.readinessInitialDelaySeconds }}
      periodSeconds: {{ annotation .ObjectMeta "readiness.status.sidecar.istio.io/periodSeconds" $proxy.readinessPeriodSeconds }}
      timeoutSeconds: 3
      failureThreshold: {{ annotation .ObjectMeta "readiness.status.sidecar.istio.io/failureThreshold" $proxy.readinessFailureThreshold }}
    {{- end }}
    resources: {{ template "proxy.resources" . }}
    securityContext:
      {{- $added := list }}
      {{- if $tproxy }}{{ $added = append $added "NET_ADMIN" }}{{ end }}
      {{- if $lowPorts }}{{ $added = append $added "NET_BIND_SERVICE" }}{{ end }}
      allowPrivilegeEscalation: {{ $proxy.privileged }}
      privileged: {{ $proxy.privileged }}
      readOnlyRootFilesystem: true
      runAsNonRoot: {{ empty $added }}
      runAsUser: {{ ternary .ProxyUID 0 (empty $added) }}
      runAsGroup: {{ .ProxyGID }}
      capabilities: {drop: [ALL]{{ if $added }}, add: {{ toJson $added }}{{ end }}}
    volumeMounts:
    - {name: workload-socket, mountPath: /var/run/secrets/workload-spiffe-uds}
    - {name: credential-socket, mountPath: /var/run/secrets/credential-uds}
    - {name: workload-certs, mountPath: /var/run/secrets/workload-spiffe-credentials}
    - {name: istiod-ca-cert, mountPath: /var/run/secrets/istio}
    - {name: istio-ca-crl, mountPath: /var/run/secrets/istio/crl}
    - {name: istio-data, mountPath: /var/lib/istio/data}
    - {name: istio-envoy, mountPath: /etc/istio/proxy}
    - {name: istio-token, mountPath: /var/run/secrets/tokens}
    - {name: istio-podinfo, mountPath: /etc/istio/pod}
    {{- if isset $notes "sidecar.istio.io/bootstrapOverride" }}
    - {name: custom-bootstrap-volume, mountPath: /etc/istio/custom-bootstrap}
    {{- end }}
    {{- with index $notes "sidecar.istio.io/userVolumeMount" }}
    {{- range $name, $mount := fromJSON . }}
    - {{ toJson (merge (dict "name" $name) $mount) }}
    {{- end }}
    {{- end }}
  volumes:
  - {name: workload-socket, emptyDir: {}}
  - {name: credential-socket, emptyDir: {}}
  - {name: workload-certs, emptyDir: {}}
  - {name: istio-data, emptyDir: {}}
  - {name: istio-envoy, emptyDir: {medium: Memory}}
  - {name: istiod-ca-cert, configMap: {name: istio-ca-root-cert}}
  - {name: istio-ca-crl, configMap: {name: istio-ca-crl, optional: true}}
  - name: istio-podinfo
    downwardAPI:
      items:
      - {path: labels, fieldRef: {fieldPath: metadata.labels}}
      - {path: annotations, fieldRef: {fieldPath: metadata.annotations}}
  - name: istio-token
    projected:
      sources:
      - serviceAccountToken: {path: istio-token, expirationSeconds: 43200, audience: {{ .Values.global.sds.token.aud }}}
  {{- with index $notes "sidecar.istio.io/bootstrapOverride" }}
  - {name: custom-bootstrap-volume, configMap: {name: {{ . | quote }}}}
  {{- end }}
  {{- with index $notes "sidecar.istio.io/userVolume" }}
  {{- range $name, $volume := fromJSON . }}
  - {{ toJson (merge (dict "name" $name) $volume) }}
  {{- end }}
  {{- end }}
  {{- with .Values.global.imagePullSecrets }}
  imagePullSecrets:
  {{- range . }}
  - {name: {{ . }}}
  {{- end }}
  {{- end }}
`;
