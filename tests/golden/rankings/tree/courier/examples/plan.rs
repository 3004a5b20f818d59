//! Plans a route through three addresses and prints its length.

use courier::geo::Point;
use courier::route::{Stop, plan_route};

fn main() {
    let depot = Point { latitude: 52.52, longitude: 13.40 };
    let stop = |address: &str, latitude, longitude| Stop {
        address: address.to_string(),
        at: Point { latitude, longitude },
        opens: 480,
        closes: 1080,
    };
    let stops = [stop("north", 52.56, 13.41), stop("south", 52.47, 13.39), stop("east", 52.51, 13.50)];
    let route = plan_route(depot, &stops);
    println!("{:.1} km", route.length_km);
}
