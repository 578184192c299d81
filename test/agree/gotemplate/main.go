// Renders templates with Go's own text/template, for the test that our interpreter agrees with it.
// Reads JSON lines {template, data, missingKey, sprig} and writes JSON lines {out, error}.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type job struct {
	Template   string `json:"template"`
	Data       any    `json:"data"`
	MissingKey string `json:"missingKey"`
	Sprig      bool   `json:"sprig"`
	Yaml       string `json:"yaml"`
}

type result struct {
	Out   string `json:"out"`
	Error string `json:"error,omitempty"`
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for {
		line, err := reader.ReadString('\n')
		if len(line) > 1 {
			var j job
			if err := json.Unmarshal([]byte(line), &j); err != nil {
				panic(err)
			}
			encoded, _ := json.Marshal(render(j))
			writer.Write(append(encoded, '\n'))
		}
		if err == io.EOF {
			return
		}
	}
}

func render(j job) result {
	if j.Yaml != "" {
		return readYaml(j.Yaml)
	}
	tmpl := template.New("t")
	if j.Sprig {
		tmpl = tmpl.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{"toYaml": toYaml})
	}
	if j.MissingKey != "" {
		tmpl = tmpl.Option("missingkey=" + j.MissingKey)
	}
	parsed, err := tmpl.Parse(j.Template)
	if err != nil {
		return result{Error: err.Error()}
	}
	var out strings.Builder
	if err := parsed.Execute(&out, typed(j.Data)); err != nil {
		return result{Error: err.Error()}
	}
	return result{Out: out.String()}
}

// readYaml gives the JSON of a YAML text, as Kubernetes' tools read it.
func readYaml(text string) result {
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return result{Error: err.Error()}
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Out: string(encoded)}
}

func toYaml(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// typed turns {"$int": 5} into an int and {"$strings": {…}} into a map[string]string.
func typed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if number, ok := value["$int"]; ok {
			return int(number.(float64))
		}
		if entries, ok := value["$strings"]; ok {
			result := map[string]string{}
			for key, text := range entries.(map[string]any) {
				result[key] = text.(string)
			}
			return result
		}
		for key, inner := range value {
			value[key] = typed(inner)
		}
		return value
	case []any:
		for i, inner := range value {
			value[i] = typed(inner)
		}
		return value
	default:
		return value
	}
}
