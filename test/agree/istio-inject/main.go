// Injects manifests with Istio's own injector, as `istioctl kube-inject` does without a cluster. Reads JSON lines
// {object, revision}; the injector's texts are files named by the arguments. Writes JSON lines {out, error}.
// ENABLE_NATIVE_SIDECARS in the environment decides between native and classic.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"

	"istio.io/istio/pkg/config/mesh"
	"istio.io/istio/pkg/kube/inject"
	"istio.io/istio/pkg/log"
)

type job struct {
	Object   json.RawMessage `json:"object"`
	Revision string          `json:"revision"`
}

type result struct {
	Out   string `json:"out"`
	Error string `json:"error,omitempty"`
}

func main() {
	options := log.DefaultOptions()
	options.SetDefaultOutputLevel("default", log.NoneLevel)
	must(log.Configure(options))
	config, err := inject.UnmarshalConfig(read(os.Args[1]))
	must(err)
	values, err := inject.NewValuesConfig(string(read(os.Args[2])))
	must(err)
	meshText := string(read(os.Args[3]))
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for {
		line, err := reader.ReadString('\n')
		if len(line) > 1 {
			var j job
			must(json.Unmarshal([]byte(line), &j))
			encoded, _ := json.Marshal(injected(j, config, values, meshText))
			writer.Write(append(encoded, '\n'))
		}
		if err == io.EOF {
			return
		}
	}
}

func injected(j job, config inject.Config, values inject.ValuesConfig, meshText string) result {
	meshConfig, err := mesh.ApplyMeshConfigDefaults(meshText)
	must(err)
	var out bytes.Buffer
	err = inject.IntoResourceFile(nil, config.Templates, values, j.Revision, meshConfig, bytes.NewReader(j.Object), &out, func(string) {})
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Out: out.String()}
}

func read(file string) []byte {
	text, err := os.ReadFile(file)
	must(err)
	return text
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
