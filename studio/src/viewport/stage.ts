// What is around the bodies: light with soft shadows, a ground that fades into the distance, obstacles, sky.
import {
    Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, Fog, GridHelper, Group, HemisphereLight, Matrix4, Mesh, MeshStandardMaterial,
    PlaneGeometry, Quaternion, Scene, Vector3, type WebGLRenderer,
} from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { type Section, What, floats, integers } from '../connection/frames';
import { type OcclusionUniforms, occluded, solidLayer } from './ambient_occlusion';
import { studioLight, toKeyLight } from './studio_light';

/** Discreet lines in the plane of a ground, a `spacing` apart and a tenth of it fainter, that fade where they get too dense to be told apart. */
function drawGrid(material: MeshStandardMaterial, lines: { spacing: { value: number }; ink: { value: number } }): void {
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, { gridSpacing: lines.spacing, gridInk: lines.ink });
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nvarying vec2 onGround;')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nonGround = (modelMatrix * vec4(position, 1.0)).xz;');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', `#include <common>
                uniform float gridSpacing, gridInk;
                varying vec2 onGround;
                float lineAt(vec2 place) {
                    vec2 width = fwidth(place), away = abs(fract(place - 0.5) - 0.5) / max(width, vec2(1e-6));
                    return (1.0 - min(min(away.x, away.y), 1.0)) * (1.0 - smoothstep(0.05, 0.3, max(width.x, width.y)));
                }`)
            .replace('#include <color_fragment>', `#include <color_fragment>
                if (gridInk != 0.0) diffuseColor.rgb *= 1.0 - gridInk * max(lineAt(onGround / gridSpacing), 0.4 * lineAt(onGround * (10.0 / gridSpacing)));`);
    };
}

export class Stage {
    readonly scene = new Scene();
    private readonly sun = new DirectionalLight('#fff4e6', 2.4);
    private readonly sky = new HemisphereLight('#ffffff', '#8a8f98', 0.5);
    private readonly groundMaterial = new MeshStandardMaterial({ roughness: 0.95, dithering: true });
    private readonly gridLines = { spacing: { value: 1 }, ink: { value: 0 } };
    private readonly obstacleMaterial = new MeshStandardMaterial({ roughness: 0.85 });
    private readonly sensorMaterials = {
        empty: new MeshStandardMaterial({ color: '#3fa7d6', roughness: 1, transparent: true, opacity: 0.18, depthWrite: false }),
        touched: new MeshStandardMaterial({ color: '#ff9f1c', emissive: '#ff9f1c', emissiveIntensity: 0.3, roughness: 1, transparent: true, opacity: 0.34, depthWrite: false }),
    };
    /** Obstacles that only report, by number. */
    private sensors: ReadonlyMap<number, 'empty' | 'touched'> = new Map();
    private obstacles = new Group();
    private floor: Mesh | null = null;
    private grid: GridHelper | null = null;
    private vertices = new Map<number, Float32Array>();
    private background = new Color('#eef1f6');

    constructor(renderer: WebGLRenderer, occlusion: OcclusionUniforms) {
        this.scene.environment = studioLight(renderer);
        drawGrid(this.groundMaterial, this.gridLines);
        for (const material of [this.groundMaterial, this.obstacleMaterial]) occluded(material, occlusion);
        this.sun.castShadow = true;
        this.setShadows('high');
        this.sun.shadow.normalBias = 0.02;
        this.scene.add(this.sun, this.sun.target, this.sky, this.obstacles);
    }

    /** Begins a new set of obstacles; those of one run serve both. */
    clearObstacles(): void {
        for (const object of this.obstacles.children) (object as Mesh).geometry.dispose();
        this.obstacles.clear();
        this.vertices.clear();
    }

    /** Those that are shown; `userData.obstacle` is their number in the document. */
    obstacleMeshes(): Mesh[] {
        return this.obstacles.children.filter((object): object is Mesh => object.visible);
    }

    /** The boxes around those that have an end. */
    solidBoxes(): Box3[] {
        return this.obstacles.children.filter((object) => object.name !== 'ground').map((object) => new Box3().setFromObject(object));
    }

    hideObstacles(isHidden: (obstacle: number) => boolean): void {
        for (const object of this.obstacles.children) object.visible = !isHidden(object.userData.obstacle as number);
    }

    addShape(section: Section): void {
        if (section.what === What.obstacleVertices) this.vertices.set(section.body, floats(section).slice());
        if (section.what === What.obstacleTriangles) {
            const flat = new BufferGeometry();
            flat.setAttribute('position', new BufferAttribute(this.vertices.get(section.body) ?? new Float32Array(), 3));
            flat.setIndex(new BufferAttribute(integers(section).slice(), 1));
            const geometry = toCreasedNormals(flat, 0.6);
            const mesh = new Mesh(geometry, this.obstacleMaterial);
            this.addObstacle(section.body, mesh);
            mesh.userData.shared = flat;
            this.dress(mesh);
        }
        if (section.what === What.plane) {
            const [x, y, z, a, b, c] = floats(section);
            this.addObstacle(section.body, this.ground(new Vector3(x, y, z), new Vector3(a, b, c)));
        }
    }

    /** Those that only report are seen through, and light up while something is in them. */
    showSensors(sensors: ReadonlyMap<number, 'empty' | 'touched'>): void {
        this.sensors = sensors;
        for (const object of this.obstacles.children) if (object.name !== 'ground') this.dress(object as Mesh);
    }

    private dress(mesh: Mesh): void {
        const sensor = this.sensors.get(mesh.userData.obstacle as number);
        mesh.material = sensor ? this.sensorMaterials[sensor] : this.obstacleMaterial;
        mesh.castShadow = mesh.receiveShadow = !sensor;
        if (sensor) mesh.layers.disable(solidLayer);
        else mesh.layers.enable(solidLayer);
    }

    private addObstacle(obstacle: number, mesh: Mesh): void {
        mesh.updateMatrix();
        mesh.userData = { obstacle, own: mesh.matrix.clone() };
        this.obstacles.add(mesh);
    }

    /** Where an obstacle that moves is in this frame. */
    placeObstacle(section: Section): void {
        const [a, b, c, d, e, f, g, h, i, x, y, z] = floats(section);
        const placement = new Matrix4().set(a, d, g, x, b, e, h, y, c, f, i, z, 0, 0, 0, 1);
        for (const mesh of this.obstacles.children) {
            if (mesh.userData.obstacle !== section.body) continue;
            placement.multiply(mesh.userData.own as Matrix4).decompose(mesh.position, mesh.quaternion, mesh.scale);
        }
    }

    /** Where the vertices of an obstacle that changes its shape are in this frame; its edges are smooth from then on. */
    deformObstacle(section: Section): void {
        const vertices = floats(section);
        for (const mesh of this.obstacleMeshesOf(section.body)) {
            const geometry = mesh.userData.shared as BufferGeometry, positions = geometry.getAttribute('position') as BufferAttribute;
            if (positions.array.length !== vertices.length) continue;
            positions.copyArray(vertices).needsUpdate = true;
            geometry.computeVertexNormals();
            geometry.computeBoundingSphere();
            if (mesh.geometry === geometry) continue;
            mesh.geometry.dispose();
            mesh.geometry = geometry;
        }
    }

    private obstacleMeshesOf(obstacle: number): Mesh[] {
        return this.obstacles.children.filter((object): object is Mesh => object.userData.obstacle === obstacle && object.userData.shared !== undefined);
    }

    /** The floor of a scene that has no ground among its obstacles; null: none. */
    setFloor(height: number | null): void {
        this.floor?.removeFromParent();
        this.floor = height === null || this.obstacles.children.some((o) => o.name === 'ground') ? null : this.ground(new Vector3(0, height, 0), new Vector3(0, 1, 0));
        if (this.floor) this.scene.add(this.floor);
    }

    /** Lines a metre apart tell an empty floor from an empty picture. */
    setGrid(shown: boolean, dark: boolean): void {
        this.grid?.removeFromParent();
        this.grid?.dispose();
        this.grid = null;
        if (!shown) return;
        const [axes, lines] = dark ? ['#5a6578', '#3d4553'] : ['#8b95a5', '#b4bcc8'];
        this.grid = new GridHelper(20, 20, axes, lines);
        this.grid.position.y = (this.groundBelow(new Vector3(0, 1, 0)) ?? 0) + 0.002;  // no flicker with the floor
        this.scene.add(this.grid);
    }

    private ground(point: Vector3, normal: Vector3): Mesh {
        const mesh = new Mesh(new PlaneGeometry(1, 1), this.groundMaterial);
        mesh.name = 'ground';
        mesh.position.copy(point);
        mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal.normalize()));
        mesh.scale.setScalar(1000);
        mesh.receiveShadow = true;
        mesh.layers.enable(solidLayer);
        return mesh;
    }

    /** Light and haze to the size of what is looked at. */
    fit(center: Vector3, size: number, distance: number): void {
        const reach = 1.6 * size;
        this.sun.target.position.copy(center);
        this.sun.position.copy(center).addScaledVector(toKeyLight, 3 * size);
        const camera = this.sun.shadow.camera;
        camera.left = camera.bottom = -reach;
        camera.right = camera.top = reach;
        camera.near = 0.1 * size;
        camera.far = 7 * size;
        camera.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.02 * size;
        this.sun.shadow.bias = -0.0012;
        this.gridLines.spacing.value = 10 ** Math.round(Math.log10(size / 4));
        this.scene.fog = new Fog(this.background, distance * 1.15 + 2 * size, distance * 1.6 + 9 * size);
    }

    setTheme(dark: boolean, sceneBackground: [number, number, number]): void {
        this.dark = dark;
        this.inkGrid();
        this.background = dark ? new Color('#15181f') : new Color().setRGB(...sceneBackground, 'srgb');
        this.scene.background = this.background;
        if (this.scene.fog) (this.scene.fog as Fog).color.copy(this.background);
        this.groundMaterial.color.copy(dark ? new Color('#2a303b') : this.background.clone().multiplyScalar(0.86));
        this.obstacleMaterial.color.set(dark ? '#4c5564' : '#b9c0cb');
        this.scene.environmentIntensity = dark ? 0.36 : 0.5;
        this.sun.intensity = dark ? 1.9 : 2.0;
        this.sky.intensity = dark ? 0.15 : 0.22;
    }

    /** The height of the level ground under a point, if there is one. */
    groundBelow(point: Vector3): number | null {
        const below = [...this.obstacles.children, ...(this.floor ? [this.floor] : [])].filter((o) => o.name === 'ground' && new Vector3(0, 0, 1).applyQuaternion(o.quaternion).y > 0.999 && o.position.y <= point.y);
        return below.length ? Math.max(...below.map((o) => o.position.y)) : null;
    }

    /** Metres between the lines of the ground; null: they are not drawn. */
    get gridSpacing(): number | null {
        return this.lined && this.hasGround ? this.gridLines.spacing.value : null;
    }

    private lined = true;
    private dark = false;

    /** Darker than the ground, or brighter than a dark one. */
    private inkGrid(): void {
        this.gridLines.ink.value = !this.lined ? 0 : this.dark ? -0.3 : 0.07;
    }

    private get hasGround(): boolean {
        return this.floor !== null || this.obstacles.children.some((o) => o.name === 'ground' && o.visible);
    }

    /** Soft shadows, coarser ones or none; lines on the ground unless there is no time for anything. */
    setShadows(quality: 'high' | 'plain' | 'low'): void {
        this.lined = quality !== 'low';
        this.inkGrid();
        const { shadow } = this.sun, size = quality === 'high' ? 1024 : 512;
        this.sun.castShadow = quality !== 'low';
        shadow.blurSamples = quality === 'high' ? 20 : 8;
        shadow.radius = quality === 'high' ? 9 : 5;
        if (shadow.mapSize.x === size) return;
        shadow.mapSize.set(size, size);
        shadow.map?.dispose();
        shadow.mapPass?.dispose();
        shadow.map = shadow.mapPass = null;
    }
}
