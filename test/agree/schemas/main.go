// Prints the schemas that src/core/inject embeds, from the types of Kubernetes (`pod`) and Istio (`mesh`): one type a line.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	meshconfig "istio.io/api/mesh/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func main() {
	if os.Args[1] == "pod" {
		printPod()
	} else {
		printMesh()
	}
}

// A field is JSONNAME[/GONAME]:KIND[!][~STRATEGY][@MERGEKEY]; `!` is encoded even when it is empty, `*` is a pointer.
func printPod() {
	seen := map[reflect.Type]bool{}
	queue := []reflect.Type{reflect.TypeFor[metav1.ObjectMeta](), reflect.TypeFor[corev1.PodSpec]()}
	for _, t := range queue {
		seen[t] = true
	}
	add := func(t reflect.Type) {
		if !seen[t] {
			seen[t] = true
			queue = append(queue, t)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		fmt.Println(queue[0].Name() + " " + strings.Join(podFields(queue[0], add), " "))
	}
}

func podFields(t reflect.Type, add func(reflect.Type)) []string {
	var fields []string
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		name := strings.Split(tag, ",")[0]
		if field.Anonymous && name == "" {
			fields = append(fields, podFields(field.Type, add)...)
		} else if name != "-" {
			fields = append(fields, podField(field, name, tag, add))
		}
	}
	return fields
}

func podField(field reflect.StructField, name, tag string, add func(reflect.Type)) string {
	text := goName(name, field.Name) + ":" + podKind(field.Type, add)
	optional := strings.Contains(tag, "omitzero") || (strings.Contains(tag, "omitempty") && field.Type.Kind() != reflect.Struct)
	if !optional {
		text += "!"
	}
	if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
		text += "~" + strings.ReplaceAll(strategy, ",", "+")
	}
	if key := field.Tag.Get("patchMergeKey"); key != "" {
		text += "@" + key
	}
	return text
}

func goName(json, name string) string {
	if strings.ToUpper(json[:1])+json[1:] == name {
		return json
	}
	return json + "/" + name
}

func podKind(t reflect.Type, add func(reflect.Type)) string {
	switch t.String() {
	case "resource.Quantity":
		return "quantity"
	case "intstr.IntOrString":
		return "intOrString"
	case "v1.Time", "v1.MicroTime":
		return "time"
	case "v1.FieldsV1":
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + podKind(t.Elem(), add)
	case reflect.Slice:
		return "[]" + podKind(t.Elem(), add)
	case reflect.Map:
		return "{}" + podKind(t.Elem(), add)
	case reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Struct:
		add(t)
		return t.Name()
	default:
		return t.Kind().String()
	}
}

// A field is JSONNAME[/GONAME]:KIND; an enum lists its names by number: `enum(A=0,B=2)`.
func printMesh() {
	seen := map[protoreflect.FullName]bool{}
	queue := []protoreflect.MessageDescriptor{(&meshconfig.ProxyConfig{}).ProtoReflect().Descriptor(), (&meshconfig.MeshConfig{}).ProtoReflect().Descriptor()}
	for _, m := range queue {
		seen[m.FullName()] = true
	}
	for ; len(queue) > 0; queue = queue[1:] {
		message := queue[0]
		line := []string{shortName(message.FullName())}
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			line = append(line, goName(field.JSONName(), camel(string(field.Name())))+":"+meshKind(field))
			inner := field.Message()
			if field.IsMap() {
				inner = field.MapValue().Message()
			}
			if inner != nil && !wellKnown(inner) && !seen[inner.FullName()] {
				seen[inner.FullName()] = true
				queue = append(queue, inner)
			}
		}
		fmt.Println(strings.Join(line, " "))
	}
}

func wellKnown(m protoreflect.MessageDescriptor) bool {
	return strings.HasPrefix(string(m.FullName()), "google.protobuf.")
}

func shortName(name protoreflect.FullName) string {
	text := string(name)
	for _, prefix := range []string{"istio.mesh.v1alpha1.", "istio.networking.v1alpha3.", "istio.networking.v1beta1.", "istio."} {
		text = strings.TrimPrefix(text, prefix)
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, "google.protobuf."), ".", "_")
}

func meshKind(field protoreflect.FieldDescriptor) string {
	if field.IsMap() {
		return "{}" + scalarKind(field.MapValue())
	}
	if field.IsList() {
		return "[]" + scalarKind(field)
	}
	return scalarKind(field)
}

func scalarKind(field protoreflect.FieldDescriptor) string {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return shortName(field.Message().FullName())
	case protoreflect.EnumKind:
		var names []string
		values := field.Enum().Values()
		for i := range values.Len() {
			names = append(names, fmt.Sprintf("%s=%d", values.Get(i).Name(), values.Get(i).Number()))
		}
		return "enum(" + strings.Join(names, ",") + ")"
	case protoreflect.StringKind, protoreflect.BytesKind:
		return "string"
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return "float"
	default:
		return "int"
	}
}

// camel is the name that protoc-gen-go gives to a field.
func camel(name string) string {
	var text strings.Builder
	upper := true
	for _, r := range name {
		if r == '_' {
			upper = true
			continue
		}
		if upper && r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		upper = false
		text.WriteRune(r)
	}
	return text.String()
}
