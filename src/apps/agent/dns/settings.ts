// Settings of the DNS proxy: rows of the table of `proxy`.
import { duration, text, truth } from '../kinds.ts';

export const dnsSettings = {
  domain: text('', {
    flag: 'domain',
    doc: "the proxy's DNS domain; empty: `$POD_NAMESPACE.svc.cluster.local`",
  }),
  dnsCapture: truth('false', {
    env: 'ISTIO_META_DNS_CAPTURE',
    doc: "a sidecar answers the pod's DNS queries, which interception leads here",
  }),
  dnsServer: truth('false', {
    env: 'ISTIO_META_ENABLE_DNS_SERVER',
    doc: 'any type of proxy answers DNS queries that are sent to it',
  }),
  dnsProxyAddress: text('localhost:15053', {
    env: 'DNS_PROXY_ADDR',
    doc: 'where DNS queries are answered, by UDP and TCP; on port 53 and as root, Envoy runs as user and group 1337',
  }),
  dnsForwardParallel: truth('false', {
    env: 'DNS_FORWARD_PARALLEL',
    doc: "an unknown name is asked of all of resolv.conf's servers at once, instead of one after the other",
  }),
  dnsForwardTimeoutMs: duration('5s', { env: 'DNS_FORWARD_TIMEOUT', doc: 'how long one server is waited for' }),
};
