// The poses of a body as cards with pictures: hover shows one, a click works on it; and ways to make another.
import type { App } from '../app';
import { brief, h, iconButton, isTyped } from '../dom';
import { addFiles } from '../exporting/upload';
import { drawPose } from '../posing/pose_picture';
import { type PoseStage, poseStageOf, unmoved } from '../posing/pose_stage';
import { type Axis, axes, deformerKinds, examplesOf, insertPose, mirroredPose, most, movePose, newDeformer, originOf, posesPath, refusal, removePose, renamePose } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import { DeformerList } from './deformer_list';
import { PoseSenses } from './pose_senses';
import { toast } from './toasts';

interface Card {
    element: HTMLElement;
    picture: HTMLCanvasElement;
    name: HTMLInputElement;
    origin: HTMLElement;
    strength: HTMLInputElement;
    number: HTMLElement;
    /** Of a file with several. */
    frame: HTMLInputElement;
    frameRow: HTMLElement;
    /** What its picture shows. */
    drawn: string;
}

const poseEndings = ['.glb', '.gltf', '.obj', '.off', '.ply', '.stl', '.pc2', '.mdd', '.npy', '.node', '.msh', '.mesh', '.vtk', '.vtu', '.veg'];

export class PoseCards {
    readonly element: HTMLElement;
    private readonly stage: PoseStage;
    private readonly why = h('p.why', { role: 'status' });
    private readonly list = h('ol.pose-cards', { 'aria-label': 'Poses' });
    private readonly empty = h('p.hint', {}, 'No poses yet. A body deforms towards its poses more easily than in any other way: capture a shape, bend it with a deformer, or pull it with handles.');
    private readonly capture = h('button.primary', { type: 'button', title: 'Make a pose of the shape that the body has on the screen now', onclick: () => void this.captureNow() }, 'Capture now');
    private readonly file = h('input', { type: 'file', hidden: true, multiple: true, 'aria-hidden': 'true', accept: poseEndings.join(','), onchange: () => void this.takeFiles() });
    private readonly blend = h('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 1, 'aria-label': 'Blend from rest to the pose', oninput: () => this.stage.setBlend(Number(this.blend.value)) });
    private readonly blendWords = h('output');
    private readonly beta = h('input', {
        type: 'range', min: 0, max: 1, step: 0.005, 'aria-label': 'Strength of the examples', title: 'How much easier the body deforms towards its poses than in other ways',
        oninput: () => this.app.edits.set([...posesPath(this.app.selected).slice(0, -1), 'beta'], Number(this.beta.value), 'Strength of the examples'), onchange: () => this.app.edits.endGesture(),
    });
    private readonly betaWords = h('output');
    private readonly facts = h('p.pose-facts', { role: 'status' });
    private readonly chosenPart: HTMLElement;
    private readonly deformers: DeformerList;
    private readonly make: HTMLElement;
    private cards: Card[] = [];
    private mirrorAxis: Axis = 'x';

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        this.deformers = new DeformerList(app, this.stage);
        const axis = h('select', { 'aria-label': 'Axis that mirrors', title: 'Whose two sides are exchanged', onchange: () => { this.mirrorAxis = axis.value as Axis; } }, ...axes.map((a) => h('option', { value: a }, a.toUpperCase())));
        const deform = h('select', { 'aria-label': 'New pose from a deformer', title: 'One more pose: the rest shape, deformed', onchange: () => { this.addDeformed(deform.value); deform.value = ''; } },
            h('option', { value: '' }, 'By deformer …'), ...deformerKinds.map(({ id, name }) => h('option', { value: id }, name)));
        this.make = h('div.pose-make', {}, h('div.row', {}, this.capture, deform, h('button', { type: 'button', title: 'A surface or solid of this body in another pose, blend shapes of a GLB, a frame of its animation or of a point cache', onclick: () => this.file.click() }, 'From a file …')), this.file);
        this.chosenPart = h('section.pose-chosen', { 'aria-label': 'Chosen pose' },
            h('label.row', { title: 'Only to look: between the rest shape and the pose' }, h('span', {}, 'Blend'), this.blend, this.blendWords),
            h('div.row', {}, h('span', {}, 'Mirror'), axis, h('button', { type: 'button', title: 'One more, with left and right exchanged', onclick: () => this.mirror() }, 'Mirrored copy')),
            this.facts, this.deformers.element);
        this.element = h('div.poses-panel', {}, this.why, this.make, this.empty, this.list,
            h('label.row.beta-row', {}, h('span', {}, 'Examples'), this.beta, this.betaWords), this.chosenPart, new PoseSenses(app).element);
        this.stage.on(() => this.update());
        app.on('status', () => { this.capture.disabled = !this.app.scene; });
        queueMicrotask(() => this.update());
    }

    // ---- what is shown

    update(): void {
        const { stage } = this, why = refusal(stage.content, stage.body), poses = why ? [] : stage.poses;
        this.why.textContent = why ?? '';
        this.why.hidden = why === null;
        this.make.hidden = why !== null;
        this.empty.hidden = why !== null || poses.length > 0;
        if (this.cards.length !== poses.length) {
            this.cards = poses.map((_, k) => this.makeCard(k));
            this.list.replaceChildren(...this.cards.map(({ element }) => element));
        }
        poses.forEach((pose, k) => this.updateCard(this.cards[k], pose, k));
        this.beta.closest('label')!.hidden = !poses.length;
        const examples = examplesOf(stage.content, stage.body), beta = typeof examples?.beta === 'number' ? examples.beta : 0.995;
        if (!isTyped(this.beta)) this.beta.value = String(beta);
        this.betaWords.textContent = String(beta);
        this.chosenPart.hidden = stage.chosen === null;
        if (!isTyped(this.blend)) this.blend.value = String(stage.blend);
        this.blendWords.textContent = `${Math.round(100 * stage.blend)} %`;
        this.tellFacts();
        this.deformers.update();
    }

    private tellFacts(): void {
        const { facts, refusal: refused } = this.stage, words: string[] = [];
        if (refused) words.push(refused);
        else if (facts && facts.moved < unmoved) words.push('This is the rest shape, moved or turned: it has no effect.');
        else if (facts?.inverted) words.push(`${facts.inverted} ${facts.inverted > 1 ? 'tets are' : 'tet is'} inside out, the worst at [${facts.place.map(brief).join(', ')}]: pull less there.`);
        this.facts.textContent = words.join(' ');
        this.facts.classList.toggle('why', words.length > 0);
        this.facts.hidden = words.length === 0;
    }

    private updateCard(card: Card, pose: JsonObject, k: number): void {
        const { stage } = this, strength = typeof pose.strength === 'number' ? pose.strength : 1;
        card.element.classList.toggle('chosen', stage.chosen === k);
        card.element.setAttribute('aria-current', String(stage.chosen === k));
        if (!isTyped(card.name)) card.name.value = String(pose.name);
        card.origin.textContent = originOf(pose);
        if (!isTyped(card.strength)) card.strength.value = String(strength);
        card.number.textContent = `${Math.round(100 * strength)} %`;
        card.frameRow.hidden = typeof pose.frame !== 'number';
        if (!isTyped(card.frame)) card.frame.value = String(pose.frame ?? 0);
        void this.draw(card, pose, k);
    }

    private async draw(card: Card, pose: JsonObject, k: number): Promise<void> {
        const { stage } = this, { name: _, strength: __, ...shape } = pose;
        const key = JSON.stringify([stage.body, this.app.viewport.bodyView(stage.body)?.body.shape, shape]);
        if (card.drawn === key || this.app.get('desk') !== 'poses') return;
        card.drawn = key;
        const positions = await stage.shapeOf(pose, `picture ${k}`), index = stage.triangles;
        if (!positions || !index) card.drawn = '';
        else if (card.drawn === key) drawPose(card.picture, positions, index, stage.mesh.rests.length === positions.length ? stage.mesh.rests : positions, stage.color);
    }

    private makeCard(k: number): Card {
        const { stage, app } = this, words = `pose ${k + 1}`;
        const picture = h('canvas.pose-picture', { width: 132, height: 96, 'aria-hidden': 'true' });
        const name = h('input', { type: 'text', maxlength: 64, 'aria-label': `Name of ${words}`, onchange: () => this.rename(k, name.value.trim() || words) });
        const origin = h('span.hint');
        const strength = h('input', {
            type: 'range', min: 0.05, max: 1, step: 0.05, 'aria-label': `Strength of ${words}`, title: 'How much of its stretch counts',
            oninput: () => app.edits.set([...posesPath(stage.body), k, 'strength'], Number(strength.value), 'Strength of a pose'), onchange: () => app.edits.endGesture(),
        });
        const number = h('span.unit');
        const frame = h('input', {
            type: 'number', min: 0, step: 1, 'aria-label': `Frame of ${words}`, title: 'Which frame of the animation or point cache; the first is 0',
            onchange: () => {
                if (frame.validity.valid && frame.value !== '') app.edits.set([...posesPath(stage.body), k, 'frame'], Number(frame.value), 'Frame of a pose');
                app.edits.endGesture();
            },
        });
        const frameRow = h('label.layer-row', { hidden: true }, h('span.hint', {}, 'Frame'), frame);
        const choose = h('button.pose-choose', { type: 'button', 'aria-label': `Work on ${words}`, title: 'Work on it; once more: back to the moving body', onclick: () => stage.choose(stage.chosen === k ? null : k) }, picture);
        const element = h('li.pose-card', { draggable: 'true', 'data-pose': k }, choose,
            h('div.pose-words', {}, name, origin, h('div.layer-row', {}, strength, number), frameRow,
                h('div.pose-buttons', {},
                    iconButton('plus', `Duplicate ${words}`, () => this.edit((content) => insertPose(content, stage.body, k + 1, stage.poses[k], `Duplicate the pose ${stage.poses[k].name}`))),
                    iconButton('back', `Move ${words} up`, () => this.move(k, k - 1)), iconButton('down', `Move ${words} down`, () => this.move(k, k + 1)),
                    iconButton('bin', `Delete ${words}`, () => this.remove(k)))));
        for (const event of ['pointerenter', 'focusin']) element.addEventListener(event, () => stage.lookAt(k));
        for (const event of ['pointerleave', 'focusout']) element.addEventListener(event, () => stage.lookAt(null));
        element.addEventListener('dragstart', (event) => event.dataTransfer?.setData('text/x-pose', String(k)));
        element.addEventListener('dragover', (event) => { if (event.dataTransfer?.types.includes('text/x-pose')) event.preventDefault(); });
        element.addEventListener('drop', (event) => {
            const from = event.dataTransfer?.getData('text/x-pose');
            if (!from) return;
            event.preventDefault();
            event.stopPropagation();
            this.move(Number(from), k);
        });
        return { element, picture, name, origin, strength, number, frame, frameRow, drawn: '' };
    }

    // ---- what is done

    private rename(k: number, name: string): void {
        this.edit((content) => renamePose(content, this.stage.body, k, name));
    }

    private edit(make: (content: JsonObject) => ReturnType<typeof movePose>): void {
        this.app.edits.once((now) => make(now as unknown as JsonObject));
    }

    private move(from: number, to: number): void {
        if (to < 0 || to >= this.cards.length) return;
        this.edit((content) => movePose(content, this.stage.body, from, to));
        if (this.stage.chosen === from) this.stage.choose(to);
    }

    private remove(k: number): void {
        this.stage.lookAt(null);
        this.stage.choose(null);
        this.edit((content) => removePose(content, this.stage.body, k));
    }

    private mirror(): void {
        const { stage } = this, { chosen, pose } = stage, middle = stage.middle();
        if (chosen === null || !pose || !middle) return;
        this.edit((content) => insertPose(content, stage.body, chosen + 1, mirroredPose(pose, this.mirrorAxis, middle.center), `Mirror the pose ${pose.name}`));
        stage.choose(chosen + 1);
    }

    private addDeformed(id: string): void {
        const { stage } = this, kind = deformerKinds.find((one) => one.id === id), middle = stage.middle();
        if (!kind || !middle || !this.hasRoom()) return;
        stage.choose(null);
        stage.add({ name: id, deform: [newDeformer(kind, middle.size)] }, `Add a pose of ${stage.name}: ${kind.name.toLowerCase()}`);
    }

    private hasRoom(): boolean {
        const { length } = this.stage.poses;
        if (length >= most) toast(`A body has at most ${most} poses.`, 'warning');
        return length < most;
    }

    private async captureNow(): Promise<void> {
        const { stage, app } = this, { body } = stage;
        if (!this.hasRoom()) return;
        try {
            const caught = await app.ask('capture', { body });
            if (!caught || stage.body !== body) return;
            if (caught.moved < unmoved) return toast('The body has its rest shape now: nothing to capture. Pull it, or let it fall, and capture it then.', 'warning');
            stage.add({ name: 'captured', captured: { at: caught.at, to: caught.to } }, `Capture a pose of ${stage.name}`);
        } catch (error) {
            toast((error as Error).message, 'error');
        }
    }

    private async takeFiles(): Promise<void> {
        const files = [...(this.file.files ?? [])];
        this.file.value = '';
        if (!files.length) return;
        try {
            await addFiles(this.app, files, (what, fraction) => this.app.set('progress', { type: 'progress', what, fraction }), 'pose');
        } catch (error) {
            toast((error as Error).message, 'error');
        }
    }
}
