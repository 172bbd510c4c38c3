import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Modal } from '../ui/dialog';
import { Menu } from '../ui/icons';
import { IconButton } from '../ui/parts';
import { Toast } from '../ui/toast';
import { useFocusOnHeading } from './focus';
import { ProjectBar } from './project-choice';
import { HealthBanner } from './health-banner';
import { usePaletteKey, useShortcuts } from './keyboard';
import { Brand, Navigation } from './navigation';

const Palette = lazy(() => import('./palette'));

const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ['Ctrl K', 'Go to a page, a flow or a run'],
  ['/', 'Search in the list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['r', 'Replay the run or the row'],
  ['g', 'Runs'],
  ['f', 'Flows'],
  ['?', 'These keys'],
];

export function Shell({ children }: { readonly children: ReactNode }) {
  const [, navigate] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  usePaletteKey(() => setPaletteOpen(true));
  useFocusOnHeading();
  useShortcuts({
    '?': () => setHelpOpen(true),
    g: () => navigate('/runs'),
    f: () => navigate('/flows'),
    '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
  });
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Navigation />
      <header className="top-bar">
        <IconButton kind="plain" label="Menu" onClick={() => setMenuOpen(true)}>
          <Menu size={18} />
        </IconButton>
        <Brand />
      </header>
      <main className="main" id="content" tabIndex={-1}>
        <ProjectBar />
        <HealthBanner />
        {children}
      </main>
      {isMenuOpen && (
        <Modal title="Menu" className="drawer side" onClose={() => setMenuOpen(false)}>
          <Navigation onNavigate={() => setMenuOpen(false)} />
        </Modal>
      )}
      {isHelpOpen && (
        <Modal title="Keys" onClose={() => setHelpOpen(false)}>
          <table>
            <tbody>
              {KEYS.map(([key, meaning]) => (
                <tr key={key}>
                  <td>
                    <kbd>{key}</kbd>
                  </td>
                  <td>{meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Modal>
      )}
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
      <Toast />
    </div>
  );
}
