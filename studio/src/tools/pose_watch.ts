// What poses do: their weights as curves, which loads awaken them, and whether those of the scene do.
import { Quaternion } from 'three';
import type { App } from '../app';
import { brief, h } from '../dom';
import { toast } from '../panels/toasts';
import { type PoseStage, poseStageOf } from '../posing/pose_stage';
import type { AnswerCouplings } from '../protocol/messages';
import { addCommand } from '../scene_editing/commands';
import { startOfBody } from '../scene_editing/placement';
import { applyLoad, bestLoad, loadWords } from '../scene_editing/pose_loads';
import type { JsonObject } from '../scene_editing/schema';
import { freeName } from '../scene_editing/starts';
import { colorBy } from '../state/color_by';
import type { Tool } from '../toolbox/tool';

const patience = 1;       // s of a run after which it is said that nothing awakens a pose
const awakened = 0.05;    // weight that counts as awake
const mostGroups = 8;
const pause = 400;        // ms between two looks at the body while it moves

class WatchPanel {
    readonly element: HTMLElement;
    private readonly stage: PoseStage;
    private readonly hint = h('p.hint');
    private readonly group = h('select', { 'aria-label': 'Group', onchange: () => this.look() });
    private readonly groupRow = h('label.row', { hidden: true }, h('span', {}, 'Group'), this.group);
    private readonly list = h('ul.pose-loads', { 'aria-label': 'What awakens the poses' });
    private readonly plot = h('button', { type: 'button', title: 'Plot the weight of every pose in every group', onclick: () => this.plotWeights() }, 'Plot the weights');
    private readonly colour = h('button', { type: 'button', title: 'Colour the body by how far its poses stretch it now', onclick: () => colorBy(this.app, this.app.look.color === 'example' ? '' : 'example') }, 'Colour by pull');
    private answer: AnswerCouplings | null = null;
    /** By pose: the most that the shape of this run asked for. */
    private most: number[] = [];
    private run = '';
    private last = 0;
    private asking = false;

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        this.element = h('div.watch-panel.pose-watch', {}, this.hint, h('div.measure-kinds', {}, this.plot, this.colour), this.groupRow, this.list);
        app.on(['selection', 'document', 'scene', 'tool'], () => {
            this.answer = null;
            this.look();
        });
        app.on('status', () => { if (performance.now() - this.last > pause) this.look(); });
        app.on('look', () => this.colour.setAttribute('aria-pressed', String(app.look.color === 'example')));
    }

    private get isShown(): boolean {
        return this.app.get('tool') === 'pose-watch' && this.app.get('desk') === 'poses';
    }

    private look(): void {
        const { stage } = this, poses = stage.poses.length;
        this.plot.disabled = this.colour.disabled = poses === 0;
        this.hint.textContent = poses ? 'A pose appears only if the load has something in common with it.' : 'This body has no poses yet: make some under Poses.';
        if (!poses) this.list.replaceChildren();
        if (this.isShown && poses && !this.asking) void this.ask();
    }

    private async ask(): Promise<void> {
        const { stage, app } = this, { body } = stage;
        this.asking = true;
        this.last = performance.now();
        try {
            const answer = await app.ask('couplings', { body, group: Number(this.group.value) || 0 });
            if (answer && stage.body === body) this.take(answer);
        } catch {
            // The body is being built: it is asked again with the next frame.
        }
        this.asking = false;
    }

    private take(answer: AnswerCouplings): void {
        const { app } = this, key = JSON.stringify([this.stage.body, this.group.value, app.document?.revision]);
        if (this.run !== key || app.shownTime === 0) this.most = answer.examples.map(() => 0);
        this.run = key;
        this.most = this.most.map((most, k) => Math.max(most, answer.now[k] ?? 0));
        this.answer = answer;
        if (this.group.options.length !== answer.groups) this.group.replaceChildren(...Array.from({ length: answer.groups }, (_, k) => h('option', { value: String(k) }, `Group ${k}`)));
        this.groupRow.hidden = answer.groups < 2;
        const words = answer.examples.map((name, k) => [name, loadWords(answer.loads, k), this.runWords(k)]);
        if (this.list.dataset.words !== JSON.stringify(words.map((w) => w.slice(0, 2)))) {
            this.list.dataset.words = JSON.stringify(words.map((w) => w.slice(0, 2)));
            this.list.replaceChildren(...answer.examples.map((name, k) => this.row(name, k)));
        }
        words.forEach(([, , run], k) => { this.list.children[k].querySelector('.run-words')!.textContent = run; });
    }

    private runWords(k: number): string {
        const { shownTime } = this.app, most = this.most[k];
        if (most > awakened) return `In this run its shape asked for up to ${brief(most)} of it.`;
        return shownTime > patience ? `In this run no load has awakened it (${brief(shownTime)} s).` : '';
    }

    private row(name: string, k: number): HTMLElement {
        const { loads } = this.answer!, best = bestLoad(loads, k);
        return h('li', {}, h('b', {}, name), h('p', {}, loadWords(loads, k)), h('p.run-words.hint'),
            best && h('button', { type: 'button', 'data-load': best.load, title: 'Replaces the body’s handles with two on its ends that apply this load, and starts from the beginning', onclick: () => this.tryLoad(best.load) }, `Try a ${best.load}`));
    }

    private tryLoad(load: string): void {
        const { app, stage } = this, { body } = stage, middle = stage.middle();
        if (!middle) return;
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, start = startOfBody(content, body);
            return applyLoad(content, body, load, { ...middle, turn: new Quaternion().setFromRotationMatrix(start), scale: stage.frame.getMaxScaleOnAxis() });
        });
        app.send({ type: 'reset' });
        app.send({ type: 'play', playing: true });
        toast(`A ${load} is applied from the beginning: handles on both ends, which Undo removes.`);
    }

    private plotWeights(): void {
        const { app, stage, answer } = this, poses = stage.poses.map(({ name }) => String(name)), groups = Math.min(answer?.groups ?? 1, mostGroups);
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, measures = [...((content.measures ?? []) as JsonObject[])];
            const made = poses.flatMap((example) => Array.from({ length: groups }, (_, group) => ({ example, group })))
                .filter(({ example, group }) => !measures.some((m) => m.what === 'weight' && m.body === stage.body && m.example === example && (m.group ?? 0) === group))
                .map(({ example, group }) => {
                    const one: JsonObject = { name: freeName(measures, groups > 1 ? `${example} ${group}` : example), what: 'weight', body: stage.body, example, ...(group ? { group } : {}), label: `Weights of ${stage.name}` };
                    measures.push(one);
                    return one;
                });
            if (!made.length) return null;
            return { label: `Plot the weights of ${stage.name}`, changes: made.flatMap((one, k) => (k === 0 ? addCommand(content, ['measures'], one, 'weights').changes : [{ op: 'add' as const, path: '/measures/-', value: one }])) };
        });
        toast('The weights are plotted in the panel on the right.');
    }
}

export const tool: Tool = {
    id: 'pose-watch', name: 'Watch poses', key: '', about: 'See which loads awaken which pose, and plot the weights', order: 29, desk: 'poses',
    icon: 'M3 17c3 0 4-10 7-10s4 8 6 8 2-3 5-3', cursor: 'grab',
    make(app) {
        return { panel: new WatchPanel(app).element };
    },
};
