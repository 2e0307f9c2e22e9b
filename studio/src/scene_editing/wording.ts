// How the keys of a scene are called, their units, and what only experts touch. The schema says what a value means and
// which values it takes; here is what stands on its label. Keys that are not listed are called as they are spelled.

/** "region_damping" -> "Region damping". */
export function words(key: string): string {
    const plain = key.replace(/_/g, ' ');
    return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const names: Record<string, string> = {
    'scene.bodies': 'Bodies', 'scene.measures': 'Plots', 'scene.look': 'Pictures', 'scene.step': 'Time', 'scene.medium': 'Water or air',
    'step.dt': 'Frame length', 'step.substeps': 'Steps a frame', 'step.sleep': 'Rest when still',
    'medium.density': 'Density', 'medium.drag': 'Drag', 'medium.current': 'Current',
    'body.id': 'Identity', 'body.solid': 'Shape', 'body.surface': 'Drawn surface', 'body.density': 'Weight', 'body.masses': 'Mass',
    'body.matching': 'Material', 'body.fem': 'Material', 'body.rigid': 'Material', 'body.place': 'Place', 'body.instances': 'Copies', 'body.time_offset': 'Muscles ahead',
    'body.initial': 'Start from files', 'body.look': 'Look', 'body.cavity': 'Hollow', 'body.velocity': 'Speed at start', 'body.spin': 'Spin at start',
    'instance.id': 'Identity', 'instance.translate': 'Move', 'instance.rotate': 'Turn', 'instance.velocity': 'Speed at start', 'instance.time_offset': 'Muscles ahead',
    'cavity.depth': 'Depth of the wall',
    'matching.alpha': 'Stiffness', 'matching.young': 'Stiffness', 'matching.drag': 'Air drag', 'matching.hops': 'Region reach', 'matching.regions': 'Uneven stiffness',
    'matching.examples': 'Example poses', 'matching.stretch': 'Muscles', 'matching.align': 'Create no spin', 'matching.damping': 'Damping',
    'rigid.drag': 'Air drag', 'rigid.mass': 'Mass', 'rigid.inertia': 'Inertia', 'contact.groups': 'Groups', 'contact.mask': 'Meets groups', 'contact.sensor': 'Only reports', 'obstacle.groups': 'Groups', 'obstacle.mask': 'Meets groups', 'obstacle.sensor': 'Only reports',
    'fem.drag': 'Air drag', 'fem.levels': 'Finest level', 'fem.most_active': 'Most tetrahedra', 'fem.mass': 'Inertia', 'fem.fronts': 'Given levels',
    'fem_material.select': 'Where', 'fem_material.regions': 'Only labels', 'fem_material.young': 'Stiffness', 'fem_material.poisson': 'Poisson ratio', 'fem_material.lame': 'Lamé’s λ and μ',
    'fem_material.constants': '21 constants', 'fem_material.factor': 'Stiffness times', 'fem_material.volume': 'By volume', 'fem_material.density': 'Weight', 'fem_material.file': 'Tensor file',
    'fem_fibres.young_along': 'Stiff along', 'fem_fibres.young_across': 'Stiff across', 'fem_fibres.poisson_along': 'Poisson along', 'fem_fibres.poisson_across': 'Poisson across',
    'fem_orthotropic.young': 'Stiffness', 'fem_orthotropic.poisson': 'Poisson ratio', 'fem_viscosity.time': 'Relaxation', 'fem_viscosity.lame': 'φ and ψ', 'fem_viscosity.constants': '21 constants',
    'fem_plasticity.yield': 'Yield strain', 'fem_plasticity.limit': 'Largest strain', 'fem_volume.softest': 'Soft factor', 'fem_volume.stiffest': 'Stiff factor',
    'solid_volume.as': 'Made of', 'solid_volume.voxels': 'Voxels a cell', 'solid_volume.cell': 'Cell size', 'solid_volume.volume': 'Model',
    'solid_from.from': 'Surface file', 'solid_from.stand': 'On the floor', 'lattice_from.from': 'Surface file', 'lattice_from.cell': 'Cell size', 'solid_tets.tets': 'Mesh file',
    'cvg.ghosts': 'Outside values', 'cvg.root': 'Tree', 'cvg_operator.op': 'Operation', 'cvg_operator.args': 'Parts', 'cvg_shape.prim': 'Shape', 'cvg_shape.transform': 'Place',
    'cvg_shape.share': 'Filled share', 'cvg_shape.voxel': 'Sampling',
    'cvg_transform.translate': 'Move', 'cvg_transform.rotate': 'Turn (x y z w)',
    'regions.alphas': 'Strength', 'regions.classes': 'Width choices', 'regions.law': 'Stiffness law', 'regions.range': 'Soft to stiff', 'regions.rigid': 'Rigid from', 'regions.changes': 'Changes over time',
    'stiffness_change.select': 'Where', 'stiffness_change.value': 'Stiffness',
    'examples.beta': 'Strength', 'examples.border': 'Soft border', 'examples.cues': 'Awakened by', 'examples.plasticity': 'Keeps poses', 'example_cue.listens': 'Listens to', 'example_cue.from': 'Asks from', 'example_cue.to': 'Whole from',
    'example_plasticity.yield': 'Yields from', 'example_plasticity.rate': 'Keeps, per second', 'example_plasticity.recovery': 'Forgets, per second', 'example_plasticity.bound': 'Keeps at most', 'pose.deform': 'Deformers', 'pose.vertices': 'File of particles', 'pose.surface': 'File of the surface',
    'active.speed': 'Wave speed', 'active.charts': 'Curves', 'active_fields.direction': 'Fibres along',
    'charts.d1': 'Along the fibres', 'charts.d2': 'Along the depth', 'charts.d3': 'Across both', 'charts.limit': 'Stretch limit', 'charts.preserve_volume': 'Keep the volume',
    'channel.remap': 'From and to', 'paint.paint': 'Touches', 'wall_distance.distance': 'From', 'paint_touch.at': 'Place', 'paint_touch.vertex': 'Particle', 'part.select': 'Where', 'direction_part.select': 'Where', 'direction_part.value': 'Direction',
    'place.rotate': 'Turn', 'place.translate': 'Position', 'place.scale': 'Scale', 'rotate.degrees': 'Angle',
    'contact.bodies': 'Touch others', 'contact.self': 'Touch itself', 'contact.restitution': 'Bounce', 'contact.thickness': 'Skin',
    'initial.positions': 'Positions', 'initial.velocities': 'Velocities',
    'pin.select': 'Where', 'handle.select': 'Where', 'handle.stiffness': 'Spring', 'handle.path': 'Keys', 'obstacle.path': 'Motion', 'obstacle.belt': 'Belt', 'handle.release': 'Let go at', 'path_key.about': 'Turn about',
    'force.select': 'Where', 'force.force': 'Force', 'body_look.show': 'Colour by', 'body_look.color': 'Colour', 'body_look.wireframe': 'Lines', 'instance.color': 'Colour', 'cvg_shape.color': 'Colour',
    'obstacle.id': 'Identity', 'obstacle.restitution': 'Bounce', 'obstacle.friction_along': 'Friction along', 'mesh.rotate': 'Turn', 'mesh.translate': 'Move', 'mesh.container': 'Container', 'box.rotate': 'Turn',
    'box.center': 'Centre', 'sphere.center': 'Centre', 'measure.what': 'Quantity', 'measure.label': 'Plot title', 'measure.example': 'Pose', 'measure.other': 'Other body', 'measure.at': 'Place at rest', 'measure.depth': 'Depth of the wall', 'stretch_layer.on': 'Acts', 'active.gait': 'Gait over time',
    'look.ground': 'Floor', 'look.ground_height': 'Floor height', 'look.cut': 'Cut', 'look.color_map': 'Colour map', 'look.show_range': 'Colour range', 'look.samples': 'Rays per pixel', 'look.size': 'Size',
};

const units: Record<string, string> = {
    'step.dt': 's', 'step.gravity': 'm/s²', 'medium.drag': 'kg/m³', 'medium.density': 'kg/m³', 'medium.current': 'm/s',
    'body.density': 'kg/m³', 'body.time_offset': 's', 'body.velocity': 'm/s', 'body.spin': 'rad/s',
    'instance.translate': 'm', 'instance.velocity': 'm/s', 'instance.time_offset': 's',
    'fem.drag': '1/s', 'rigid.drag': '1/s', 'rigid.mass': 'kg', 'rigid.inertia': 'kg m²', 'fem_material.young': 'Pa', 'fem_material.lame': 'Pa', 'fem_material.constants': 'Pa', 'fem_material.density': 'kg/m³',
    'fem_viscosity.time': 's', 'fem_viscosity.lame': 'Pa s', 'fem_viscosity.constants': 'Pa s', 'fem_plasticity.creep': '1/s', 'fem_front.time': 's',
    'fem_front_box.low': 'm', 'fem_front_box.high': 'm', 'select_box.low': 'm', 'select_box.high': 'm', 'cvg_shape.rounding': 'm', 'cvg_transform.translate': 'm',
    'example_cue.fade': 's', 'examples.border': 'm', 'control_key.time': 's', 'example_plasticity.rate': '1/s', 'example_plasticity.recovery': '1/s',
    'stiffness_change.from': 's', 'stiffness_change.until': 's', 'matching.young': 'Pa', 'matching.drag': '1/s',
    'deform_twist.degrees': '°', 'deform_bend.degrees': '°', 'rotate.degrees': '°', 'charts.period': 's',
    'place.translate': 'm', 'handle.stiffness': 'N/m', 'handle.release': 's', 'path_key.time': 's', 'path_key.move': 'm', 'path_key.about': 'm', 'obstacle.belt': 'm/s',
    'force.force': 'N', 'force.acceleration': 'm/s²', 'force.from': 's', 'force.until': 's', 'plane.point': 'm', 'box.center': 'm', 'sphere.center': 'm',
    'capsule.from': 'm', 'capsule.to': 'm', 'mesh.translate': 'm', 'camera.eye': 'm', 'camera.target': 'm', 'camera.field_of_view': '°',
    'joint.point': 'm', 'joint.to_point': 'm', 'joint_hinge.limit': '°', 'joint_hinge.speed': 'rad/s', 'joint_hinge.torque': 'N m',
    'look.size': 'px', 'look.ground_height': 'm', 'paint_touch.at': 'm', 'paint_touch.angle': '°', '.nearest': 'm',
    length: 'm', size: 'm', modulus: 'Pa', moduli: 'Pa',
};

/** Numbers of the solver and of the format, which nobody has to know to make a scene. */
const expert: Record<string, string[]> = {
    scene: ['$schema', 'frames', 'poster'],
    step: ['dt', 'substeps', 'sleep'],
    body: ['id', 'surface', 'masses', 'initial', 'time_offset', 'cavity'],
    instance: ['id', 'time_offset'],
    matching: ['passes', 'accelerate', 'hops', 'region_damping', 'align', 'drag'],
    fem: ['refinement', 'tolerance', 'most_active', 'hysteresis', 'quiet_checks', 'coarsening', 'fit_tolerance', 'mass', 'inversion', 'integration', 'safety', 'drag', 'fronts', 'cache'],
    fem_material: ['regions', 'factor', 'volume', 'density'],
    solid_formula: ['detail'], solid_volume: ['voxels', 'fill', 'hardness', 'draw', 'cut'], cvg: ['ghosts'], cvg_shape: ['opacity', 'voxel', 'seed', 'name'], cvg_operator: ['name'],
    regions: ['rule', 'alphas', 'classes', 'rigid', 'changes'],
    examples: ['variant', 'metric', 'weights', 'rotation', 'goal'],
    contact: ['thickness'], obstacle: ['id', 'friction_along', 'belt'], look: ['size', 'samples', 'transparent', 'color_map', 'show_range'],
};

/** How the kinds of a value are called: by definition, by key, or by title. */
const kinds: Record<string, string> = {
    solid_bar: 'Box', solid_formula: 'Formula', solid_from: 'Surface file', solid_tets: 'Tetrahedral mesh', solid_lattice: 'Lattice', solid_volume: 'Volume model',
    lattice_box: 'Full box', lattice_from: 'Inside a surface', file: 'File', npy: 'Array file (.npy)', formula: 'Formula', 'a number': 'One value', length: 'One value', size: 'Three values',
    vector: 'Three values', paint: 'Painted', painting: 'Painted by hand', wall_distance: 'Distance from the walls', channel: 'Channel of the volume', values: 'One per particle', parts: 'By parts', 'a list of parts': 'List of parts', 'a list of numbers': 'List of numbers',
    'three numbers': 'Along x, y, z', '[x, y, z], each a number or a formula': 'Along x, y, z', strokes: 'Drawn strokes', direction_parts: 'By parts', cvg: 'In the scene', cvg_operator: 'Operation', cvg_shape: 'Shape',
    active_fields: 'In the scene', '"lumped", "uniform" or "bending"': 'By a rule', 'the name of a .npy file': 'Array file (.npy)', 'a list of masses': 'List of masses',
    '"one" or "each"': 'By a rule', 'list of selections': 'Selections', labels: 'Labels', '"all"': 'Everywhere',
    vertices: 'Particles by number', box: 'Inside a box', sphere: 'Inside a ball', plane: 'Above a plane', nearest: 'Nearest to a point', any: 'In any of', all: 'In all of', not: 'Not in',
    'joint.weld': 'Glue', 'joint.ball': 'Ball joint', 'joint.hinge': 'Hinge', 'joint.rope': 'Rope',
    'obstacle.plane': 'Plane', 'obstacle.box': 'Box', 'obstacle.sphere': 'Ball', 'obstacle.capsule': 'Rod', 'obstacle.mesh': 'Mesh file',
    'fem_material.young': 'Young’s modulus', 'fem_material.lame': 'Lamé’s constants', 'fem_material.fibres': 'Fibres', 'fem_material.orthotropic': 'Three directions', 'fem_material.constants': '21 constants', 'fem_material.file': 'Tensor file',
    'fem_viscosity.time': 'Relaxation time', 'fem_viscosity.lame': 'Two constants', 'fem_viscosity.constants': '21 constants',
    'paint_touch.at': 'At a place', 'paint_touch.path': 'Along a path', 'paint_touch.vertex': 'At a particle',
    'body.matching': 'Shape matching', 'body.fem': 'Finite elements', 'body.rigid': 'Rigid', 'pose.deform': 'Deformers', 'pose.vertices': 'File of particles', 'pose.surface': 'File of the surface',
    'fem_fibres.direction': 'Direction', 'fem_fibres.directions': 'Array file (.npy)', 'fem_fibres.strokes': 'Drawn lines',
    '.cell': 'Cell size', '.particles': 'Particles', '.height': 'By height', '.size': 'By largest size', 'regions.widths': 'Widths', 'regions.stiffness': 'Stiffness',
    twist: 'Twist', bend: 'Bend', taper: 'Taper', stretch: 'Lengthen', shear: 'Shear',
};

/** Words for choices whose spelling in the file says too little. */
const choices: Record<string, string> = {
    'example_cue.listens.contact': 'being hit or touched', 'example_cue.listens.speed': 'speed', 'example_cue.listens.control': 'a control',
    residual: 'where midpoints are off', strain: 'by strain (paper)', full: 'everywhere', one: 'the whole body', each: 'every region',
    'cvg_shape.prim.cube': 'box', 'cvg_shape.prim.volume': 'volume file', 'cvg_shape.prim.mesh': 'mesh file', 'solid_volume.as.tets': 'tetrahedra', 'solid_volume.as.lattice': 'cubic cells',
    'body_look.show.fiber': 'fibre stretch', 'body_look.show.region_size': 'region size',
};

export function nameOf(def: string | undefined, key: string): string {
    return names[`${def}.${key}`] ?? words(key);
}

export function unitOf(def: string | undefined, key: string, ownDef: string | undefined): string {
    return units[`${def}.${key}`] ?? units[`.${key}`] ?? units[ownDef ?? ''] ?? '';
}

export function isExpert(def: string | undefined, key: string): boolean {
    return expert[def ?? '']?.includes(key) ?? false;
}

/** Of a branch of the schema, or of a key of an object of which it has one out of several. */
export function kindName(...candidates: Array<string | undefined>): string {
    for (const candidate of candidates) if (candidate && kinds[candidate]) return kinds[candidate];
    return words(candidates.filter(Boolean).pop() ?? '');
}

export function choiceName(def: string | undefined, key: string, value: string): string {
    return choices[`${def}.${key}.${value}`] ?? choices[value] ?? value.replace(/_/g, ' ');
}
