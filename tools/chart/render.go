// Renders a Helm chart: reads a request as JSON from standard input, and prints the manifests.
//
// Built from Debian's packages of Go and Sprig (tools/services/service-kinds.mjs), so that the chart is rendered on a
// machine without Helm. It implements what the chart uses: the functions of Sprig, include, tpl, toYaml, fromYaml,
// toJson, required, and the objects Values, Release, Chart, Capabilities, Files and Template. Numbers of values are
// float64, as in Helm. Merging values and checking them with the schema happens before, in render-chart.mjs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	yaml "gopkg.in/yaml.v3"
)

type request struct {
	Folder    string                 `json:"folder"`
	Chart     map[string]interface{} `json:"chart"`
	Values    map[string]interface{} `json:"values"`
	Name      string                 `json:"name"`
	Namespace string                 `json:"namespace"`
}

// Files are the files of the chart that templates read.
type files struct{ folder string }

func (f files) Get(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(f.folder, name))
	return string(text), err
}

// Glob returns the texts of the files that match, by path.
func (f files) Glob(pattern string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(f.folder, pattern))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, _ := filepath.Rel(f.folder, path)
		found[name] = string(text)
	}
	return found, nil
}

type versions []string

func (v versions) Has(name string) bool {
	for _, known := range v {
		if known == name {
			return true
		}
	}
	return false
}

func toYaml(value interface{}) (string, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

func fromYaml(text string) (map[string]interface{}, error) {
	value := map[string]interface{}{}
	err := yaml.Unmarshal([]byte(text), &value)
	return value, err
}

func newTemplates() *template.Template {
	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	// Helm removes these: a chart must not read the machine that renders it.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = toYaml
	functions["fromYaml"] = fromYaml
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["tpl"] = func(source string, data interface{}) (string, error) {
		clone, err := root.Clone()
		if err != nil {
			return "", err
		}
		parsed, err := clone.New("tpl").Parse(source)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		err = parsed.Execute(&text, data)
		return strings.ReplaceAll(text.String(), "<no value>", ""), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || (isText && text == "") {
			return nil, errors.New(message)
		}
		return value, nil
	}
	return root.Funcs(functions)
}

// The order in which Helm installs kinds; others follow.
var order = []string{"NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "Secret", "ConfigMap", "Service",
	"Deployment", "HorizontalPodAutoscaler", "Job", "Ingress"}

func rank(document string) int {
	var head struct{ Kind string }
	_ = yaml.Unmarshal([]byte(document), &head)
	for index, kind := range order {
		if kind == head.Kind {
			return index
		}
	}
	return len(order)
}

func render(asked request) error {
	folder := filepath.Join(asked.Folder, "templates")
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	sort.Strings(paths)
	templates := newTemplates()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := templates.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return err
		}
	}
	documents := []string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		data := map[string]interface{}{
			"Values":  asked.Values,
			"Chart":   asked.Chart,
			"Release": map[string]interface{}{"Name": asked.Name, "Namespace": asked.Namespace, "Service": "Helm", "Revision": 1, "IsInstall": true, "IsUpgrade": false},
			"Capabilities": map[string]interface{}{
				"KubeVersion": map[string]interface{}{"Version": "v1.31.0", "Major": "1", "Minor": "31"},
				"APIVersions": versions{},
			},
			"Files":    files{asked.Folder},
			"Template": map[string]interface{}{"Name": "templates/" + name, "BasePath": "templates"},
		}
		var text strings.Builder
		if err := templates.ExecuteTemplate(&text, name, data); err != nil {
			return err
		}
		if name == "NOTES.txt" {
			continue
		}
		rendered := strings.ReplaceAll(text.String(), "<no value>", "")
		for _, document := range strings.Split("\n"+rendered, "\n---") {
			if trimmed := strings.TrimSpace(document); trimmed != "" {
				documents = append(documents, trimmed)
			}
		}
	}
	sort.SliceStable(documents, func(left, right int) bool { return rank(documents[left]) < rank(documents[right]) })
	for _, document := range documents {
		fmt.Printf("---\n%s\n", document)
	}
	return nil
}

func main() {
	var asked request
	err := json.NewDecoder(os.Stdin).Decode(&asked)
	if err == nil {
		err = render(asked)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
