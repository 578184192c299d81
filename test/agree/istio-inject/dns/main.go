// Istio's own DNS server, as its agent starts it: ADDRESS NAMESPACE DOMAIN PARALLEL TIMEOUT. Each line of stdin is a table of names (protobuf in
// base64), answered by a line when it holds; it ends with stdin.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"istio.io/istio/pkg/dns/client"
	dnsProto "istio.io/istio/pkg/dns/proto"
	"istio.io/istio/pkg/log"
)

func main() {
	options := log.DefaultOptions()
	for _, scope := range []string{"default", "dns"} {
		options.SetDefaultOutputLevel(scope, log.NoneLevel)
	}
	must(log.Configure(options))
	timeout, err := time.ParseDuration(os.Args[5])
	must(err)
	server, err := client.NewLocalDNSServer(os.Args[2], os.Args[3], os.Args[1],
		client.WithParallelForwarding(os.Args[4] == "true"), client.WithUpstreamTimeout(timeout))
	must(err)
	server.StartDNS()
	fmt.Println("{}")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		table := &dnsProto.NameTable{}
		bytes, err := base64.StdEncoding.DecodeString(lines.Text())
		must(err)
		must(proto.Unmarshal(bytes, table))
		server.UpdateLookupTable(table)
		hosts := len(table.Table)
		out, _ := json.Marshal(map[string]int{"hosts": hosts})
		fmt.Println(string(out))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
