import { useState } from 'react';
import type { ComponentType } from 'react';
import { Link, useLocation } from 'wouter';
import { queryClient } from '../api/queries';
import { signOut, useMay, useSession } from '../api/session';
import { SIGNED_OUT } from '../api/client';
import mark from '../styles/mark.svg';
import {
  Boxes,
  Chart,
  Chat,
  Clock,
  Code,
  Coins,
  HalfCircle,
  Heart,
  Key,
  Leave,
  Monitor,
  Moon,
  Page,
  Plug,
  Pulse,
  Question,
  Return,
  Server,
  Skull,
  Sliders,
  Sun,
  Tree,
  Users,
  Variable,
} from '../ui/icons';
import { SHOWN_ALERTS, useAlerts } from '../api/alerts';
import { usePending } from '../api/pending';
import { useProject } from '../api/project';
import { ProjectChoice } from './project-choice';
import { count } from '../ui/format';
import { IconButton } from '../ui/parts';
import { applyTheme, readTheme } from './theme';
import type { Theme } from './theme';

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly icon: ComponentType<{ size?: number }>;
  readonly isForAdmins?: boolean;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const MEMBERS: Entry = { path: '/access/members', title: 'Members', icon: Users };

const GROUPS: readonly Group[] = [
  {
    title: '',
    entries: [
      { path: '/runs', title: 'Runs', icon: Pulse },
      { path: '/flows', title: 'Flows', icon: Boxes },
      { path: '/conversations', title: 'Conversations', icon: Chat },
      { path: '/pending', title: 'Pending', icon: Question },
      { path: '/dead-letters', title: 'Dead letters', icon: Skull },
      { path: '/schedules', title: 'Schedules', icon: Clock },
      { path: '/callbacks', title: 'Callbacks', icon: Return },
      { path: '/mcp', title: 'MCP servers', icon: Plug },
      { path: '/history', title: 'History', icon: Chart },
      { path: '/usage', title: 'Usage', icon: Coins },
    ],
  },
  {
    title: 'System',
    entries: [
      { path: '/system/workers', title: 'Workers', icon: Server, isForAdmins: true },
      { path: '/system/health', title: 'Health', icon: Heart, isForAdmins: true },
      { path: '/system/settings', title: 'Settings', icon: Sliders, isForAdmins: true },
    ],
  },
  {
    title: 'Access',
    entries: [
      { path: '/access/keys', title: 'API keys', icon: Key },
      { path: '/access/variables', title: 'Variables', icon: Variable },
      MEMBERS,
      { path: '/access/sessions', title: 'Signed-in browsers', icon: Monitor },
      { path: '/access/users', title: 'Users', icon: Users, isForAdmins: true },
      { path: '/access/code', title: 'Code approval', icon: Code, isForAdmins: true },
      { path: '/access/audit', title: 'Audit log', icon: Page, isForAdmins: true },
    ],
  },
];

/** In a project of another user. */
const PROJECT_GROUPS: readonly Group[] = [
  {
    title: '',
    entries: [
      { path: '/runs', title: 'Runs', icon: Pulse },
      { path: '/flows', title: 'Flows', icon: Boxes },
      MEMBERS,
    ],
  },
];

/** The pages that the session may see. */
export function usePages(): readonly Group[] {
  const isAdmin = useMay('admin');
  if (useProject() !== undefined) return PROJECT_GROUPS;
  return GROUPS.map(({ title, entries }) => ({
    title,
    entries: entries.filter(({ isForAdmins = false }) => isAdmin || !isForAdmins),
  })).filter(({ entries }) => entries.length > 0);
}

/** The badge is asked for this often, in each visible tab. */
const BADGE_MILLISECONDS = 30_000;

/** How many questions wait for the user; nothing when there are none. */
function PendingBadge() {
  const { data } = usePending(BADGE_MILLISECONDS);
  if (data === undefined) return null;
  const own = data.requests.filter((request) => request.may_answer).length;
  return <Badge of={own} hasMore={data.next_cursor !== null} what="waiting" />;
}

/** How many rules of flows are in alarm. */
function AlertBadge() {
  const { data = [] } = useAlerts();
  return (
    <Badge
      of={Math.min(data.length, SHOWN_ALERTS)}
      hasMore={data.length > SHOWN_ALERTS}
      what={data.length === 1 ? 'alert' : 'alerts'}
      isBad
    />
  );
}

interface BadgeProps {
  readonly of: number;
  readonly hasMore: boolean;
  /** For screen readers. */
  readonly what: string;
  readonly isBad?: boolean;
}

function Badge({ of, hasMore, what, isBad = false }: BadgeProps) {
  if (of === 0) return null;
  return (
    <span className={isBad ? 'badge bad' : 'badge'}>
      {count(of)}
      {hasMore && '+'}
      <span className="visually-hidden"> {what}</span>
    </span>
  );
}

export function Brand() {
  return (
    <Link href="/runs" className="brand">
      <img src={mark} alt="" />
      Millrace
    </Link>
  );
}

/** Links to the pages that the session may see. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const [location] = useLocation();
  const pages = usePages();
  const isOwn = useProject() === undefined;
  return (
    <nav className="side" aria-label="Main">
      <Brand />
      <ProjectChoice />
      {pages.map(({ title, entries }) => (
        <div key={title}>
          {title !== '' && <h2>{title}</h2>}
          {entries.map(({ path, title: name, icon: Icon }) => (
            <Link
              key={path}
              href={path}
              className="side-link"
              aria-current={location.startsWith(path) ? 'page' : undefined}
              onClick={onNavigate}
            >
              <Icon size={16} />
              <span className="side-name">{name}</span>
              {isOwn && path === '/flows' && <AlertBadge />}
              {path === '/pending' && <PendingBadge />}
            </Link>
          ))}
        </div>
      ))}
      <div>
        <h2>Reference</h2>
        <a className="side-link" href="/guide/" target="_blank" rel="noreferrer">
          <Tree size={16} />
          Guide and API
        </a>
      </div>
      <Foot />
    </nav>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: HalfCircle, light: Sun, dark: Moon };

function Foot() {
  const { user } = useSession();
  const [theme, setTheme] = useState(readTheme);
  const Icon = ICONS[theme];
  const leave = async () => {
    await signOut().catch(() => undefined);
    queryClient.clear();
    window.dispatchEvent(new Event(SIGNED_OUT));
  };
  return (
    <div className="side-foot">
      <span className="side-user" title={user.username}>
        {user.username}
      </span>
      <IconButton
        kind="plain"
        label={`Colours: ${theme}`}
        onClick={() => {
          const next = NEXT[theme];
          applyTheme(next);
          setTheme(next);
        }}
      >
        <Icon size={16} />
      </IconButton>
      <IconButton kind="plain" label="Sign out" onClick={() => void leave()}>
        <Leave size={16} />
      </IconButton>
    </div>
  );
}
