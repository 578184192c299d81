// Whether an image is there, and getting it, as the kubelet's pull policies say.
import type { RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';
import type { CriClient } from './client.ts';
import type { SandboxConfig } from './config.ts';
import { ImageService } from './generated/api_pb.js';

type PullEffect = Extract<RuntimeEffect, { kind: 'pullImage' }>;

/** `sandboxConfig`: of the pod that wants it. Credentials are the container runtime's own. */
export async function ensureImage(
  client: CriClient,
  { call, image: name, pull }: PullEffect,
  sandboxConfig: SandboxConfig,
): Promise<RuntimeInput> {
  const failed = (reason: string, message: string): RuntimeInput => ({ kind: 'failed', call, reason, message });
  const image = { image: name, userSpecifiedImage: name };
  if (pull !== 'always') {
    const { image: present } = await client.call(ImageService.method.imageStatus, { image });
    if (present !== undefined) return { kind: 'pulled', call };
    if (pull === 'never')
      return failed('ErrImageNeverPull', `Container image "${name}" is not present with pull policy of Never`);
  }
  try {
    await client.call(ImageService.method.pullImage, { image, sandboxConfig });
    return { kind: 'pulled', call, fetched: true };
  } catch (error) {
    return failed('ErrImagePull', error instanceof Error ? error.message : String(error));
  }
}
