// The runs of a pod that are alive, by instance.
import type { Container } from '../../core/pod/index.ts';

export class Runs<Run extends { readonly container: Container }> extends Map<string, Run> {
  /** Throws where the instance has ended or never began. */
  of(instance: string): Run {
    return this.get(instance) ?? notRunning(instance);
  }

  /** The newest run of a container, by its name. */
  latest(container: string): Run {
    return [...this.values()].findLast((run) => run.container.name === container) ?? notRunning(container);
  }
}

function notRunning(container: string): never {
  throw new Error(`container ${container} is not running`);
}
