// The contract of the container runtimes, kept by a real containerd through CRI.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { criNode } from '../../src/adapters/cri/index.ts';
import { contractOf } from '../contract/pod-runtime.ts';
import { layout } from '../rig/layout.ts';
import { containerdDown, containerdUp } from './containerd.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-contract-'));

before(containerdUp);
after(containerdDown);
after(() => rmSync(folder, { recursive: true, force: true }));

contractOf(
  'containerd',
  () =>
    criNode({
      socket: layout.containerdSocket,
      stateFolder: join(folder, 'state'),
      logFolder: join(folder, 'logs'),
    }),
  8,
);
