// The shell script that sets up a container inside its new namespaces and then becomes its command. Pure text: every value is quoted.
import type { LaunchPlan } from './isolation.ts';

/** The deepest mount point that counts: `/mnt/data`, but not what other programs mount inside their own folders. */
const deepestMount = 2;

/** Mounts of the machine that the container shall see too when it has the machine's root: all but what is made anew. */
export function visibleMounts(mountinfo: string): readonly string[] {
  const points = mountinfo
    .split('\n')
    .map((line) => (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) => character(octal)))
    .filter((point) => point.startsWith('/') && !/^\/(proc|sys|dev)?(\/|$)/.test(point))
    .filter((point) => point.split('/').length - 1 <= deepestMount);
  const all = [...new Set(points)];
  return all.filter((point) => !all.some((other) => point !== other && point.startsWith(`${other}/`)));
}

/** The kernel writes blanks in mount points as octal numbers. */
function character(octal: string): string {
  return String.fromCodePoint(Number.parseInt(octal, 8));
}

export interface LaunchSurroundings {
  readonly hostname: string;
  readonly ip: string;
  /** Mounts to pass through when there is no root of its own. */
  readonly visible: readonly string[];
}

/**
 * The script's own arguments are the command. It writes `pid N` (as the machine counts), then `ready`, to descriptor 3. Until the
 * command runs, the command line of the process names the run's folder: that is how a watcher knows.
 */
export function launchScript(plan: LaunchPlan, around: LaunchSurroundings): string {
  const root = `${plan.folder}/root`;
  const lines = [
    'set -e',
    'read -r pid _ </proc/self/stat; echo "pid $pid" >&3',
    `own=$PATH; PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    ...layers(plan, root),
    ...devices(root),
    ...(plan.root === undefined ? around.visible.map(passThrough(root)) : []),
    `mkdir -p ${q(`${root}/etc`)}`,
    `printf '%s\\n' ${q(around.hostname)} >${q(`${root}/etc/hostname`)}`,
    `printf '127.0.0.1 localhost\\n::1 localhost\\n%s\\n' ${q(`${around.ip} ${around.hostname}`)} >${q(`${root}/etc/hosts`)}`,
    ...plan.mounts.flatMap((mount) => bind(mount.source, root + mount.target, mount.readOnly)),
    `mkdir -p ${q(root + (plan.workingDir ?? '/'))}`,
    'echo ready >&3; exec 3>&-',
    `unshare=$(command -v unshare) setpriv=$(command -v setpriv)`,
    `export PATH="$own"; exec ${become(plan, root)} "$@"`,
  ];
  return lines.join('\n');
}

/** Quotes a word for the shell. */
export function q(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** What a container writes outside its volumes lies in memory and goes with its namespace. */
function layers(plan: LaunchPlan, root: string): readonly string[] {
  const { folder } = plan;
  const lower = (plan.root ?? '/').replace(/[\\:,]/g, '\\$&');
  return [
    `mount -t tmpfs -o mode=755 tmpfs ${q(folder)}`,
    `mkdir ${q(`${folder}/up`)} ${q(`${folder}/work`)} ${q(root)}`,
    `mount -t overlay -o ${q(`lowerdir=${lower},upperdir=${folder}/up,workdir=${folder}/work`)} overlay ${q(root)}`,
  ];
}

function devices(root: string): readonly string[] {
  const nodes = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
  return [
    `mkdir -p ${['proc', 'sys', 'dev', 'tmp'].map((name) => q(`${root}/${name}`)).join(' ')}`,
    `mount -t proc proc ${q(`${root}/proc`)}`,
    `mount --rbind /sys ${q(`${root}/sys`)}`,
    `mount -t tmpfs -o mode=755 tmpfs ${q(`${root}/dev`)}`,
    `mkdir -m 1777 ${q(`${root}/dev/shm`)}`,
    ...nodes.flatMap((name) => bind(`/dev/${name}`, `${root}/dev/${name}`, false)),
    `ln -s /proc/self/fd ${q(`${root}/dev/fd`)}`,
    ...['stdin', 'stdout', 'stderr'].map((name, fd) => `ln -s /proc/self/fd/${fd} ${q(`${root}/dev/${name}`)}`),
  ];
}

/** A mount that has gone since it was listed is no reason not to start. */
function passThrough(root: string): (point: string) => string {
  return (point) => `mount --rbind ${q(point)} ${q(root + point)} 2>/dev/null || :`;
}

function bind(source: string, target: string, readOnly: boolean): readonly string[] {
  const place = `if [ -d ${q(source)} ]; then mkdir -p ${q(target)}; else mkdir -p "$(dirname ${q(target)})"; [ -e ${q(target)} ] || : >${q(target)}; fi`;
  const mounted = `mount --rbind ${q(source)} ${q(target)}`;
  return readOnly ? [place, mounted, `mount -o remount,bind,ro ${q(target)}`] : [place, mounted];
}

/** Groups are set before the root is entered, since the tool that enters it can only clear them. */
function become(plan: LaunchPlan, root: string): string {
  const { uid, gid, groups } = plan.user;
  const set = groups.length > 0 ? `--groups=${groups.join(',')}` : '--clear-groups';
  const user = `"$setpriv" --regid=${gid ?? 0} ${set} --`;
  const enter = `"$unshare" ${q(`--root=${root}`)} ${q(`--wd=${plan.workingDir ?? '/'}`)}`;
  return `${user} ${enter}${uid === undefined ? '' : ` --setuid=${uid}`} --`;
}
