// Every setting of `istio-iptables` (istio/istio tools/istio-iptables/pkg/cmd/root.go). A variable is the flag in capitals unless the table says otherwise.
import { anyNumber, choice, count, duration, port, text, truth } from './kinds.ts';
import type { Setting, Values } from './table.ts';

/** The names of a row. */
function named(
  flag: string,
  doc: string,
  more: Partial<Setting<unknown>> = {},
): Pick<Setting<unknown>, 'flag' | 'env' | 'doc' | 'short' | 'alsoEnv'> {
  return { flag, env: flag.toUpperCase().replaceAll('-', '_'), doc, ...more };
}

export const iptablesTable = {
  outboundPort: port('15001', { flag: 'envoy-port', short: 'p', doc: 'port of the proxy for outbound' }),
  inboundPort: port('15006', named('inbound-capture-port', 'port of the proxy for inbound', { short: 'z' })),
  tunnelPort: port('15008', named('inbound-tunnel-port', 'port of HBONE, which is not intercepted', { short: 'e' })),
  uid: text('', named('proxy-uid', 'users of the proxy, by comma; empty: that of `ENVOY_USER`', { short: 'u' })),
  envoyUser: text('istio-proxy', {
    env: 'ENVOY_USER',
    doc: 'name of the user of the proxy; where `/etc/passwd` has none of it, 1337 is taken',
  }),
  gid: text('', named('proxy-gid', 'groups of the proxy, by comma; default: those of proxy-uid', { short: 'g' })),
  mode: text(
    '',
    named('istio-inbound-interception-mode', '`REDIRECT`, or `TPROXY`, which keeps the address of the client', {
      short: 'm',
    }),
  ),
  inboundPorts: text(
    '',
    named('istio-inbound-ports', 'inbound ports to intercept, by comma, `*` for all; empty: none', { short: 'b' }),
  ),
  inboundPortsExcluded: text(
    '',
    named('istio-local-exclude-ports', 'inbound ports to leave alone, with `*`', { short: 'd' }),
  ),
  interfacesExcluded: text('', named('istio-exclude-interfaces', 'interfaces to leave alone', { short: 'c' })),
  outboundRanges: text(
    '',
    named('istio-service-cidr', 'outbound ranges to intercept, by comma, `*` for all', { short: 'i' }),
  ),
  outboundRangesExcluded: text(
    '',
    named('istio-service-exclude-cidr', 'outbound ranges to leave alone', { short: 'x' }),
  ),
  outboundPorts: text(
    '',
    named('istio-outbound-ports', 'outbound ports to intercept whatever the range', { short: 'q' }),
  ),
  outboundPortsExcluded: text(
    '',
    named('istio-local-outbound-ports-exclude', 'outbound ports to leave alone', { short: 'o' }),
  ),
  virtualInterfaces: text(
    '',
    named('kube-virt-interfaces', 'interfaces of virtual machines, whose inbound counts as outbound', { short: 'k' }),
  ),
  mark: count('1337', named('istio-inbound-tproxy-mark', 'mark of packets for TPROXY', { short: 't' }), anyNumber),
  routeTable: count(
    '133',
    named('istio-inbound-tproxy-route-table', 'routing table for marked packets', { short: 'r' }),
    anyNumber,
  ),
  dryRun: truth('false', named('dry-run', 'print what would be restored, change nothing', { short: 'n' })),
  probePort: port('15002', named('iptables-probe-port', 'port that the validation sends to')),
  probeTimeoutMs: duration('5s', named('probe-timeout', 'longest time of the validation')),
  skipRuleApply: truth('false', named('skip-rule-apply', 'validate only')),
  runValidation: truth(
    'false',
    named('run-validation', 'prove that a connection is redirected; exit code 126 where it is not'),
  ),
  redirectDns: truth(
    'false',
    named('redirect-dns', 'lead DNS queries to the agent', { alsoEnv: 'ISTIO_META_DNS_CAPTURE' }),
  ),
  captureAllDns: truth('false', named('capture-all-dns', 'all queries, not only those to the servers of resolv.conf')),
  dropInvalid: truth(
    'false',
    named('drop-invalid', 'drop packets that belong to no connection', { alsoEnv: 'INVALID_DROP' }),
  ),
  dualStack: truth(
    'false',
    named('dual-stack', 'rules for IPv6 too where any address is one', { alsoEnv: 'ISTIO_DUAL_STACK' }),
  ),
  networkNamespace: text(
    '',
    named('network-namespace', 'file of the namespace to work in, by `nsenter`; the validation must run inside of it'),
  ),
  reconcile: truth(
    'false',
    named(
      'reconcile',
      'replace what contradicts the plan, in one transaction a table; also rules of the other kind (iptables, nftables)',
    ),
  ),
  forceApply: truth('false', named('force-apply', 'the same as reconcile')),
  cleanupOnly: truth(
    'false',
    named('cleanup-only', 'take the rules away, also those of another configuration and of the other kind'),
  ),
  nativeNftables: truth('false', named('native-nftables', 'the same rules by `nft` alone, without iptables')),
  binary: choice(
    '',
    named('force-iptables-binary', 'the variant of iptables; default: the one that holds rules, else nftables'),
    ['', 'legacy', 'nft'],
  ),
  loopback: text('127.0.0.1/32', {
    env: 'ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR',
    doc: 'addresses of loopback that are never intercepted',
  }),
  ownerGroups: text('*', { env: 'ISTIO_OUTBOUND_OWNER_GROUPS', doc: 'groups whose outbound is intercepted' }),
  ownerGroupsExcluded: text('', {
    env: 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE',
    doc: 'groups whose outbound is left alone',
  }),
  logOutputLevel: text('default:info', { flag: 'log_output_level', doc: 'least level of the log' }),
  logAsJson: truth('false', { flag: 'log_as_json', doc: 'a JSON object a line instead of text' }),
};

export type IptablesSettings = Values<typeof iptablesTable>;
