// Requests and limits of a container as the numbers of a cgroup, as the kubelet counts them.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ResourceList, ResourceRequirements } from '../../core/pod/index.ts';
import { parseQuantity } from '../../core/std/quantity.ts';
import type { LinuxContainerResourcesSchema } from './generated/api_pb.js';

const periodUs = 100_000n;
const leastShares = 2n;
const leastQuotaUs = 1000n;
const nano = 1_000_000_000n;

/** Zero: no limit. A request that is missing is its limit. */
export function resourcesOf({
  requests = {},
  limits = {},
}: ResourceRequirements): MessageInitShape<typeof LinuxContainerResourcesSchema> {
  const cpuLimit = amount(limits, 'cpu');
  const shares = ((amount(requests, 'cpu') ?? cpuLimit ?? 0n) * 1024n) / nano;
  const quota = cpuLimit === undefined ? 0n : (cpuLimit * periodUs) / nano;
  return {
    cpuShares: shares < leastShares ? leastShares : shares,
    cpuPeriod: periodUs,
    cpuQuota: quota > 0n && quota < leastQuotaUs ? leastQuotaUs : quota,
    memoryLimitInBytes: (amount(limits, 'memory') ?? 0n) / nano,
  };
}

/** Nano-units. */
function amount(list: ResourceList, name: string): bigint | undefined {
  const said = list[name];
  return said === undefined ? undefined : parseQuantity(String(said));
}
