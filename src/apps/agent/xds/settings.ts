// The settings of the xDS proxy: rows of the table of `proxy`. Names and defaults are Istio's (pilot-agent/options).
import { text } from '../kinds.ts';

export const xdsRows = {
  xdsRootCa: text('', {
    env: 'XDS_ROOT_CA',
    doc: "file with the root of the control plane's certificate; `SYSTEM`: what the machine trusts. `XDS_HEADER_NAME=value` sends metadata along",
  }),
};
