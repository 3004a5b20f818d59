//! Distances on the surface of the earth.

/// Degrees of latitude and longitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub latitude: f64,
    pub longitude: f64,
}

const EARTH_RADIUS_KM: f64 = 6371.0;

/// The great-circle distance by the haversine formula.
pub fn distance_km(one: Point, other: Point) -> f64 {
    let (lat1, lat2) = (one.latitude.to_radians(), other.latitude.to_radians());
    let half_lat = (lat2 - lat1) / 2.0;
    let half_lon = (other.longitude - one.longitude).to_radians() / 2.0;
    let a = half_lat.sin().powi(2) + lat1.cos() * lat2.cos() * half_lon.sin().powi(2);
    2.0 * EARTH_RADIUS_KM * a.sqrt().asin()
}
