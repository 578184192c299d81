// The flags as they are when nobody gives any: for tests, which then say only what matters to them.
import type { InterceptFlags } from './config.ts';

export const plainFlags: InterceptFlags = {
  outboundPort: 15_001,
  inboundPort: 15_006,
  tunnelPort: 15_008,
  uid: '1337',
  gid: '1337',
  mode: '',
  inboundPorts: '',
  inboundPortsExcluded: '',
  outboundPorts: '',
  outboundPortsExcluded: '',
  outboundRanges: '',
  outboundRangesExcluded: '',
  loopback: '127.0.0.1/32',
  interfacesExcluded: '',
  virtualInterfaces: '',
  ownerGroups: '*',
  ownerGroupsExcluded: '',
  redirectDns: false,
  captureAllDns: false,
  dropInvalid: false,
  mark: 1337,
  routeTable: 133,
  dualStack: false,
};
