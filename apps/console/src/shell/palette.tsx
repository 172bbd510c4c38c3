import { useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { useMcpSwitch } from '../api/mcp-tool';
import { useFlows } from '../api/queries';
import { useProject, useProjectFlows } from '../api/project';
import { useMay } from '../api/session';
import { Modal } from '../ui/dialog';
import { toast } from '../ui/toast';
import { RUN_ID } from '../api/run-id';
import { usePages } from './navigation';

const MAXIMUM_SHOWN = 12;

interface Target {
  readonly path: string;
  readonly title: string;
  readonly kind: 'page' | 'flow' | 'run' | 'action';
  /** The flow whose part it is. A single word is looked for in this name alone: many flows have the same parts. */
  readonly part?: string;
  /** Done before the page is opened. */
  readonly act?: () => void;
}

/** A field that finds pages, flows by name with their tabs and what can be done with them, and a run by its id. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const found = useTargets(text.trim());
  const chosen = Math.min(place, found.length - 1);
  const open = (target: Target | undefined) => {
    if (target === undefined) return;
    onClose();
    target.act?.();
    // The dialog gives the focus back before.
    setTimeout(() => navigate(target.path), 50);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Enter') open(found[chosen]);
    else if (found.length > 0) setPlace((chosen + step + found.length) % found.length);
  };
  return (
    <Modal title="Go to" className="dialog palette" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-label="Page, flow or id of a run"
        aria-expanded
        aria-controls="palette-targets"
        aria-activedescendant={chosen < 0 ? undefined : `palette-${chosen}`}
        autoFocus
        placeholder="Page, flow or id of a run"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPlace(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-targets" role="listbox" aria-label="Targets">
        {found.map((target, index) => (
          <li
            key={`${target.path} ${target.title}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerMove={() => setPlace(index)}
            onClick={() => open(target)}
          >
            <span className="cut" dir="auto">
              {target.title}
            </span>
            <span className="muted small">{target.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="muted" role="status">
          Nothing has this name.
        </p>
      )}
    </Modal>
  );
}

/** Tabs of a flow that are found by its name with theirs. */
const TABS = {
  playground: 'Chat',
  webhook: 'Webhook',
  triggers: 'Triggers',
  versions: 'Versions',
  settings: 'Settings',
} as const;

/** What contains each word of the text, that which begins with the first one first, pages and flows before parts of flows. */
function useTargets(text: string): readonly Target[] {
  const groups = usePages();
  const isOwn = useProject() === undefined;
  const canManage = useMay('manage');
  const own = useFlows().data;
  const ofProject = useProjectFlows().data;
  const flows = own ?? ofProject;
  const { mutate: changeTool } = useMcpSwitch((error) => toast(error.message));
  return useMemo(() => {
    if (RUN_ID.test(text)) return [{ path: `/runs/${text}`, title: text, kind: 'run' }];
    const pages = groups.flatMap(({ entries }) => entries);
    const all: readonly Target[] = [
      ...pages.map(({ path, title }): Target => ({ path, title, kind: 'page' })),
      ...(flows ?? []).map(({ id, name }): Target => ({ path: `/flows/${id}`, title: name, kind: 'flow' })),
    ];
    const parts = (flows ?? []).flatMap(({ id, name, mcp_enabled: isTool = false }): readonly Target[] => [
      ...(canManage
        ? [
            {
              path: '/mcp',
              title: `${name}: ${isTool ? 'remove the tool' : 'make it a tool'}`,
              kind: 'action' as const,
              part: name,
              act: () => changeTool({ id, isTool: !isTool }),
            },
          ]
        : []),
      ...(isOwn ? Object.entries(TABS) : []).map(([tab, title]): Target => ({
        path: `/flows/${id}?tab=${tab}`,
        title: `${name}: ${title}`,
        kind: 'flow',
        part: name,
      })),
    ]);
    const words = text.toLowerCase().split(/\s+/);
    const placeOf = ({ title }: Target) => title.toLowerCase().indexOf(words[0] ?? '');
    const rankOf = (target: Target) => 2 * Number(target.part !== undefined) + Number(placeOf(target) > 0);
    const isFound = ({ title, part }: Target) => {
      const searched = (words.length === 1 ? (part ?? title) : title).toLowerCase();
      return words.every((word) => searched.includes(word));
    };
    return [...all, ...(text === '' ? [] : parts)]
      .filter(isFound)
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .slice(0, MAXIMUM_SHOWN);
  }, [text, groups, isOwn, canManage, flows, changeTool]);
}
