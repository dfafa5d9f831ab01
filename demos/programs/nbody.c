/*
 * nbody: moves the Sun and the eight planets along their orbits, in double precision.
 *
 * Behaviour. Floating-point latency, and the two operations that are not pipelined, division and square root.
 * The 36 pairs of bodies (kick) depend on each other only through the sums of the accelerations, so pairs
 * can overlap; but 64 entries hold little more than two of them, and two dividers are busy for 36 cycles a pair.
 * More dividers (fu.fmuldiv=8) alone raise the IPC by 10%, a larger window (pipe.rob_size=256) by 19%, both
 * together double it: a bottleneck is a pair of things. All data fits in a few cache lines; the ends of the
 * inner loop, which is one shorter each time, are the only branches that mispredict. The start is
 * different: Kepler's equation is solved by Newton's method, one long dependence chain.
 *
 * Input. Orbital elements (mean ecliptic and equinox of J2000) and masses as fractions of the Sun's.
 * Usage: nbody ELEMENTS YEARS [STEP_DAYS]
 *
 * Expected. The error of the total energy, which stays below a millionth in steps of 2 days because the
 * integrator (Forest and Ruth's, fourth order) is symplectic; how often and in how many days each planet
 * went around the Sun: 88 for Mercury, 365.26 for Earth, 4332 for Jupiter, about. Exit status 1 if
 * energy is lost.
 *
 * Tour, two minutes: `build/cyclops build/demos/nbody ...`, then type (or run demos/tours/nbody.cyc):
 *     tbreak kick       the forces between all pairs
 *     ignore 1 50
 *     continue
 *     step 60
 *     view fu           the FP multiply/divide units: busy, and until when
 *     view pipe         long rows of X: a divide, a square root; long rows of dots: their consumers
 *     goto 3M           far into the run
 *     view cpi          dependency takes 64% of all cycles, base 31%
 *     set fu.fmuldiv 8  and with more units?
 *     config fu
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 16, X = 0, Y = 1, Z = 2 };

static const double pi = 3.14159265358979323846;
/* Astronomical units, days and solar masses: Gauss's constant squared is the constant of gravitation. */
static const double gravitation = 0.01720209895 * 0.01720209895;

struct body {
	char name[16];
	double mass;
	double position[3];		/* au */
	double velocity[3];		/* au per day */
};

struct elements {
	double axis;			/* semi-major, au */
	double eccentricity;
	double inclination, mean_longitude, perihelion, node;	/* degrees */
};

/* Observations of a planet's way around the Sun. */
struct orbit {
	double last_angle;		/* heliocentric longitude, radians */
	double turned;			/* since the beginning, radians */
	double days_at_turn;		/* when the last full turn was completed */
	unsigned turns;
};

static double radians(double degrees)
{
	return degrees * pi / 180;
}

/* Angle between the centre of the ellipse and the body: E - e sin E = M, by Newton's method. */
static double eccentric_anomaly(double mean, double e)
{
	double anomaly = mean + e * sin(mean), correction;
	int rounds = 0;
	do {
		correction = (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
		anomaly -= correction;
	} while (fabs(correction) > 1e-14 && ++rounds < 20);
	return anomaly;
}

/* Position and velocity relative to the Sun. */
static void place(struct body *b, const struct elements *o)
{
	double mean = radians(fmod(o->mean_longitude - o->perihelion, 360));
	double anomaly = eccentric_anomaly(mean, o->eccentricity);
	double minor = sqrt(1 - o->eccentricity * o->eccentricity);
	double rate = sqrt(gravitation * (1 + b->mass) / (o->axis * o->axis * o->axis)) /
		      (1 - o->eccentricity * cos(anomaly));
	/* In the plane of the orbit, x towards the perihelion. */
	double px = o->axis * (cos(anomaly) - o->eccentricity), py = o->axis * minor * sin(anomaly);
	double vx = -o->axis * sin(anomaly) * rate, vy = o->axis * minor * cos(anomaly) * rate;

	double w = radians(o->perihelion - o->node), n = radians(o->node), i = radians(o->inclination);
	double to_x[3] = {cos(w) * cos(n) - sin(w) * sin(n) * cos(i), cos(w) * sin(n) + sin(w) * cos(n) * cos(i),
			  sin(w) * sin(i)};
	double to_y[3] = {-sin(w) * cos(n) - cos(w) * sin(n) * cos(i), -sin(w) * sin(n) + cos(w) * cos(n) * cos(i),
			  cos(w) * sin(i)};
	for (int a = X; a <= Z; a++) {
		b->position[a] = px * to_x[a] + py * to_y[a];
		b->velocity[a] = vx * to_x[a] + vy * to_y[a];
	}
}

/* Reads the Sun's planets; returns how many bodies there are with the Sun, 0 after a line that makes no sense. */
static int read_bodies(FILE *file, struct body *body)
{
	char line[256];
	int count = 1;
	body[0] = (struct body){.name = "Sun", .mass = 1};
	while (fgets(line, sizeof line, file)) {
		struct elements o;
		double sun_masses;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (count == BODIES_MAX ||
		    sscanf(line, "%15s %lf %lf %lf %lf %lf %lf %lf", body[count].name, &sun_masses, &o.axis,
			   &o.eccentricity, &o.inclination, &o.mean_longitude, &o.perihelion, &o.node) != 8 ||
		    sun_masses <= 0 || o.axis <= 0 || o.eccentricity < 0 || o.eccentricity >= 1) {
			printf("not a planet: %s", line);
			return 0;
		}
		body[count].mass = 1 / sun_masses;
		place(&body[count], &o);
		count++;
	}
	return count;
}

/* Moves into the frame in which the centre of mass rests at the origin, or everything drifts away. */
static void centre(struct body *body, int count)
{
	for (int a = X; a <= Z; a++) {
		double mass = 0, position = 0, velocity = 0;
		for (int i = 0; i < count; i++) {
			mass += body[i].mass;
			position += body[i].mass * body[i].position[a];
			velocity += body[i].mass * body[i].velocity[a];
		}
		for (int i = 0; i < count; i++) {
			body[i].position[a] -= position / mass;
			body[i].velocity[a] -= velocity / mass;
		}
	}
}

static double energy(const struct body *body, int count)
{
	double sum = 0;
	for (int i = 0; i < count; i++) {
		const double *v = body[i].velocity;
		sum += 0.5 * body[i].mass * (v[X] * v[X] + v[Y] * v[Y] + v[Z] * v[Z]);
		for (int j = i + 1; j < count; j++) {
			double dx = body[i].position[X] - body[j].position[X];
			double dy = body[i].position[Y] - body[j].position[Y];
			double dz = body[i].position[Z] - body[j].position[Z];
			sum -= gravitation * body[i].mass * body[j].mass / sqrt(dx * dx + dy * dy + dz * dz);
		}
	}
	return sum;
}

/* Changes velocities as the attraction of all pairs does in `days`: the hot loop. */
static void kick(struct body *body, int count, double days)
{
	for (int i = 0; i < count; i++) {
		struct body *a = &body[i];
		double vx = a->velocity[X], vy = a->velocity[Y], vz = a->velocity[Z];
		for (int j = i + 1; j < count; j++) {
			struct body *b = &body[j];
			double dx = b->position[X] - a->position[X];
			double dy = b->position[Y] - a->position[Y];
			double dz = b->position[Z] - a->position[Z];
			double square = dx * dx + dy * dy + dz * dz;
			double pull = gravitation * days / (square * sqrt(square));
			vx += dx * pull * b->mass;
			vy += dy * pull * b->mass;
			vz += dz * pull * b->mass;
			b->velocity[X] -= dx * pull * a->mass;
			b->velocity[Y] -= dy * pull * a->mass;
			b->velocity[Z] -= dz * pull * a->mass;
		}
		a->velocity[X] = vx;
		a->velocity[Y] = vy;
		a->velocity[Z] = vz;
	}
}

static void drift(struct body *body, int count, double days)
{
	for (int i = 0; i < count; i++)
		for (int a = X; a <= Z; a++)
			body[i].position[a] += body[i].velocity[a] * days;
}

/* One step of the fourth-order integrator of Forest and Ruth: three leapfrogs, the middle one backwards. */
static void step(struct body *body, int count, double days)
{
	static const double outer = 1.3512071919596578, inner = -1.7024143839193155;
	drift(body, count, outer / 2 * days);
	kick(body, count, outer * days);
	drift(body, count, (outer + inner) / 2 * days);
	kick(body, count, inner * days);
	drift(body, count, (outer + inner) / 2 * days);
	kick(body, count, outer * days);
	drift(body, count, outer / 2 * days);
}

static double longitude(const struct body *sun, const struct body *planet)
{
	return atan2(planet->position[Y] - sun->position[Y], planet->position[X] - sun->position[X]);
}

/* Adds the angle since the last look, which must be less than half a turn ago. */
static void watch(struct orbit *o, double angle, double now, double since)
{
	double moved = angle - o->last_angle;
	if (moved < -pi)
		moved += 2 * pi;
	else if (moved > pi)
		moved -= 2 * pi;
	double before = o->turned, full = 2 * pi * (o->turns + 1);
	o->turned += moved;
	o->last_angle = angle;
	if (o->turned >= full) {
		o->turns++;
		o->days_at_turn = since + (now - since) * (full - before) / moved;
	}
}

int main(int argc, char **argv)
{
	double years = argc > 2 ? atof(argv[2]) : 0, step_days = argc > 3 ? atof(argv[3]) : 2;
	if (argc < 3 || argc > 4 || !(years > 0 && years <= 1e6) || !(step_days > 0 && step_days <= 20)) {
		fprintf(stderr, "usage: nbody ELEMENTS YEARS [STEP_DAYS, up to 20]\n");
		return 2;
	}
	FILE *file = fopen(argv[1], "r");
	if (!file) {
		perror(argv[1]);
		return 1;
	}
	struct body body[BODIES_MAX];
	int count = read_bodies(file, body);
	fclose(file);
	if (count == 0)
		return 1;
	centre(body, count);

	enum { STEPS_PER_LOOK = 4 };
	struct orbit orbit[BODIES_MAX];
	memset(orbit, 0, sizeof orbit);
	for (int i = 1; i < count; i++)
		orbit[i].last_angle = longitude(&body[0], &body[i]);
	double before = energy(body, count), worst = 0;
	long looks = (long)ceil(years * 365.25 / (step_days * STEPS_PER_LOOK));
	for (long look = 1; look <= looks; look++) {
		for (int s = 0; s < STEPS_PER_LOOK; s++)
			step(body, count, step_days);
		double now = (double)look * step_days * STEPS_PER_LOOK;
		for (int i = 1; i < count; i++)
			watch(&orbit[i], longitude(&body[0], &body[i]), now, now - step_days * STEPS_PER_LOOK);
		worst = fmax(worst, fabs(energy(body, count) / before - 1));
	}

	bool ok = worst < 1e-6;
	printf("%d bodies, %ld steps of %g days, relative energy error %s\n", count, looks * STEPS_PER_LOOK, step_days,
	       ok ? "below 1e-6" : "TOO LARGE");
	for (int i = 1; i < count; i++) {
		printf("%-8s %5u turns", body[i].name, orbit[i].turns);
		if (orbit[i].turns)
			printf(" of %.2f days", orbit[i].days_at_turn / orbit[i].turns);
		printf(", %.4f au from the Sun\n",
		       hypot(hypot(body[i].position[X] - body[0].position[X], body[i].position[Y] - body[0].position[Y]),
			     body[i].position[Z] - body[0].position[Z]));
	}
	return !ok;
}
