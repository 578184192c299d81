// Makes a bootstrap with Istio's own code, as its agent does at the start of a proxy: ProxyConfig's layers, the node's metadata, the
// template. The environment and the working folder are those of the agent; one JSON argument holds what the agent finds out by
// itself. Writes {bootstrap, grpc} or {error} to stdout.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	mesh "istio.io/api/mesh/v1alpha1"
	"istio.io/istio/pilot/cmd/pilot-agent/config"
	"istio.io/istio/pkg/bootstrap"
	"istio.io/istio/pkg/bootstrap/platform"
	"istio.io/istio/pkg/features"
	"istio.io/istio/pkg/istio-agent/grpcxds"
	"istio.io/istio/pkg/log"
)

type given struct {
	Template          string   `json:"template"`
	ID                string   `json:"id"`
	Addresses         []string `json:"addresses"`
	Concurrency       int      `json:"concurrency"`
	OutlierLogPath    string   `json:"outlierLogPath"`
	LogAsJSON         bool     `json:"logAsJson"`
	ExitOnZero        bool     `json:"exitOnZero"`
	MetadataDiscovery *bool    `json:"metadataDiscovery"`
	SkipDeprecated    bool     `json:"skipDeprecatedLogs"`
	SocketFile        string   `json:"socketFile"`
	SecureMetrics     int      `json:"secureMetrics"`
	SecureMerged      int      `json:"secureMerged"`
	OutputCerts       string   `json:"outputCerts"`
}

type made struct {
	Bootstrap string             `json:"bootstrap,omitempty"`
	Grpc      *grpcxds.Bootstrap `json:"grpc,omitempty"`
	Error     string             `json:"error,omitempty"`
}

func main() {
	options := log.DefaultOptions()
	options.SetDefaultOutputLevel("default", log.NoneLevel)
	must(log.Configure(options))
	var g given
	must(json.Unmarshal([]byte(os.Args[1]), &g))
	answer := run(g)
	encoded, err := json.Marshal(answer)
	must(err)
	os.Stdout.Write(encoded)
}

func run(g given) made {
	proxyConfig, err := config.ConstructProxyConfig("./etc/istio/config/mesh", "istio-proxy", os.Getenv("PROXY_CONFIG"), g.Concurrency)
	if err != nil {
		return made{Error: err.Error()}
	}
	var sans []string
	if proxyConfig.ControlPlaneAuthPolicy == mesh.AuthenticationPolicy_MUTUAL_TLS {
		sans = []string{config.GetPilotSan(proxyConfig.DiscoveryAddress)}
	}
	node, err := bootstrap.GetNodeMetaData(bootstrap.MetadataOptions{
		ID: g.ID, Envs: os.Environ(), Platform: cloud(), InstanceIPs: g.Addresses, ProxyConfig: proxyConfig,
		PilotSubjectAltName: sans, OutlierLogPath: g.OutlierLogPath, EnvoyStatusPort: 15021, EnvoyPrometheusPort: 15090,
		EnvoySecureMetricsPort: g.SecureMetrics, EnvoySecureMergedMetricsPort: g.SecureMerged,
		ExitOnZeroActiveConnections: g.ExitOnZero, MetadataDiscovery: g.MetadataDiscovery,
		EnvoySkipDeprecatedLogs: g.SkipDeprecated, WorkloadIdentitySocketFile: g.SocketFile,
	})
	if err != nil {
		return made{Error: err.Error()}
	}
	var out bytes.Buffer
	must(os.MkdirAll(proxyConfig.ConfigPath, 0o700))
	writer := bootstrap.New(bootstrap.Config{Node: node, CompliancePolicy: features.CompliancePolicy, LogAsJSON: g.LogAsJSON})
	if err := writer.WriteTo(g.Template, &out); err != nil {
		return made{Error: err.Error()}
	}
	node.Metadata.Generator = "grpc"
	grpc, err := grpcxds.GenerateBootstrap(grpcxds.GenerateBootstrapOptions{
		Node: node, XdsUdsPath: filepath.Join(proxyConfig.ConfigPath, "XDS"), DiscoveryAddress: proxyConfig.DiscoveryAddress, CertDir: g.OutputCerts,
	})
	must(err)
	return made{Bootstrap: out.String(), Grpc: grpc}
}

// Nobody is asked for a cloud that is not named: places are made at random on machines of any kind.
func cloud() platform.Environment {
	if os.Getenv("CLOUD_PLATFORM") == "" {
		return &platform.Unknown{}
	}
	return platform.Discover(false)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
