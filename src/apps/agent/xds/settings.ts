// The settings of the xDS proxy: rows of the table of `proxy`. Names and defaults are Istio's (pilot-agent/options).
import { text, truth } from '../kinds.ts';

export const xdsRows = {
  xdsRootCa: text('', {
    env: 'XDS_ROOT_CA',
    doc: "file with the root of the control plane's certificate; `SYSTEM`: what the machine trusts. `XDS_HEADER_NAME=value` sends metadata along",
  }),
  proxyConfigXds: truth('false', {
    env: 'PROXY_CONFIG_XDS_AGENT',
    doc: "the mesh's trust anchors are asked of the control plane",
  }),
};
